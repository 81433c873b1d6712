// Package status tells on one screen how a standalone cluster fares: its Masters, what is used of its Workers, what runs, what
// waits and what blocks it, and what failed last and why. It asks the Masters; the reasons are theirs.
package status
