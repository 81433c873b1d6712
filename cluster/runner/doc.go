// Package runner is what `coherer run` does: a cluster of OS processes for one application, and the run directory that is
// left of it.
package runner
