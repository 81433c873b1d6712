//go:build !race

package rpcenv_test

// raced says that the race detector watches.
const raced = false
