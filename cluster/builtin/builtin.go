// Package builtin has the programs that come with the cluster, for trying it and for measuring it. They are ordinary
// drivers: they run jobs by a Runner and write their results to a Writer, on a real cluster as in a simulation.
//
// The program of the executors has to link this package too, since jobs are found by name.
package builtin

import (
	"context"
	"fmt"
	"io"

	"github.com/coherer/coherer/actors/rdd"
)

// Program is a driver. args are those behind its name; out gets its result. It uses the calling goroutine alone.
type Program func(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error

// Check says what is wrong with the arguments of one of Programs, as that program would, but before it has a cluster.
func Check(name string, args []string) error {
	var err error
	switch name {
	case "pi":
		_, err = parseSlices(args)
	case "sleep":
		_, err = parseSleep(args)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Programs are the built-in programs by name.
var Programs = map[string]Program{
	"pi":    Pi,
	"sleep": Sleep,
}

// Studies are the programs for Worlds, by name: they read no file.
var Studies = map[string]Program{
	"again":  Again,
	"cached": Cached,
	"twice":  Twice,
	"shared": Shared,
	"words":  Words,
}
