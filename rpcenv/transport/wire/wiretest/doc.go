// Package wiretest is what the tests of wire and of the packages above it share: recorded frames, a listener whose connections
// a test puts there, and what a connection of this system says of itself.
package wiretest
