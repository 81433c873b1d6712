//go:build !race

package bench

// raced says that the race detector watches, which makes all slower.
const raced = false
