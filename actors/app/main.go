package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/coherer/coherer/rpcenv/transport"
)

// Program is what an application does: its driver. args are those behind the program's name.
type Program func(ctx context.Context, a *App, args []string) error

// exitUsage is the exit code of a program that was not started as it has to be.
const exitUsage = 2

// Main runs the application and ends the process. It is the first line of main. In a process that a Worker started it is
// an executor instead. A program that nobody submitted says how to do that and exits with 2.
func Main(program Program) {
	var x Execution
	if ok, err := fromEnv(ExecutorVar, &x); ok {
		if err == nil {
			err = Execute(x)
		}
		fail(err)
		os.Exit(1)
	}
	var s Submission
	ok, err := fromEnv(SubmissionVar, &s)
	if !ok {
		name := filepath.Base(os.Args[0])
		fmt.Fprintf(os.Stderr, "%s is an application: start it with\n\n    coherer run %s [args]\n    coherer submit --master spark://HOST:PORT %s [args]\n",
			name, os.Args[0], os.Args[0])
		os.Exit(exitUsage)
	}
	if err == nil {
		err = Drive(s, program, os.Args[1:])
	}
	if err != nil {
		fail(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func fail(err error) { fmt.Fprintln(os.Stderr, "error:", err) }

// withSignals is a context that ends with SIGINT or SIGTERM, and with the process that started this one.
func withSignals() (ctx context.Context, stop func(), err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	unwatch, err := transport.WatchParent(func() { os.Exit(exitParentGone) })
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return ctx, func() { unwatch(); cancel() }, nil
}

// exitParentGone is the exit code of a process whose parent ended: that of SIGKILL, which reaches it on Linux.
const exitParentGone = 128 + 9

// errInterrupted is the cause of a program that was told to end.
var errInterrupted = errors.New("interrupted")
