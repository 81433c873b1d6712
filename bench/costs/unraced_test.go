//go:build !race

package costs

// raced says that the race detector watches, which allocates as well.
const raced = false
