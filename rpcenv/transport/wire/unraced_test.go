//go:build !race

package wire

// raced says that the race detector watches.
const raced = false
