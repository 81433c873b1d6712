// Package watched holds what stands beside a role under load, in its process: endpoints that count what the role has handled, and
// the one that ends the batches of a trial. The role itself is the real one, unchanged.
package watched
