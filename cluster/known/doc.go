// Package known has all settings of Coherer's programs: [All] is the union of what each package declares as Settings beside the
// code that reads it. Here themselves stand those that processes read around their endpoints, and those that promise protection.
package known
