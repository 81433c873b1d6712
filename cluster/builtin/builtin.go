// Package builtin has the programs that come with the cluster, for trying it and for measuring it. They are ordinary
// drivers: they run jobs by a Runner and write their results to a Writer, on a real cluster as in a simulation.
//
// The program of the executors has to link this package too, since jobs are found by name.
package builtin

import (
	"context"
	"io"

	"github.com/coherer/coherer/actors/rdd"
)

// Program is a driver. args are those behind its name; out gets its result. It uses the calling goroutine alone.
type Program func(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error

// Programs are the built-in programs by name.
var Programs = map[string]Program{
	"pi":    Pi,
	"sleep": Sleep,
}
