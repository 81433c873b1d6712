package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/joined"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// Exit codes. What fails as a signal came ends with exitSignalled and its number, as with a shell: 1 would say that a rule is
// broken, or a job has failed.
const (
	exitFailed    = 1
	exitUsage     = 2
	exitSignalled = 128
)

func main() {
	if os.Getenv(app.ExecutorVar) != "" && len(os.Args) == 1 {
		// A Worker of another version has fetched this program from a driver, and becomes its executor.
		app.Main(driverOf("pi", os.Stdout)) // any will do: an executor never runs its driver
		return
	}
	if os.Getenv("CONTAINER_ID") != "" && len(os.Args) > 1 {
		programOf := func(class string) (app.Program, error) { return programOf(class, os.Stdout) }
		app.RunContainer(os.Args[1], os.Args[2:], programOf) // it returns when a NodeManager did not mean this process
	}
	os.Exit(run(withSignals(), streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return "ended by a signal: " + s.String() }

// withSignals is a context that ends with SIGINT or SIGTERM. The second of either ends the process at once; one of each does
// not: Ctrl-C reaches a child as well, which its parent then terminates in order.
func withSignals() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() { // as long as the process
		for s := range signals {
			// Reset first: the same signal again ends the process even if the command hangs on its way out.
			signal.Reset(s)
			cancel(signalled{s.(syscall.Signal)})
		}
	}()
	return ctx
}

// run runs one command and returns its exit code.
func run(ctx context.Context, s streams, args []string) int {
	all := root(s)
	all.SetArgs(args)
	cmd, err := all.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	// One line per joined error, so each stands behind its own "error:".
	for _, e := range joined.Errors(err) {
		if !saidAlready(e) {
			fmt.Fprintln(s.err, "error:", oneline.Lines(e.Error()))
		}
	}
	// The codes in order of precedence: a daemon's own and that of an executor without a driver are read by their parents; an application's
	// is passed on, as by spark-submit. A signal comes last, since it only explains an error that has no better code.
	if exit, ok := errors.AsType[*node.ExitError](err); ok {
		return exit.Code
	}
	if errors.Is(err, executor.ErrUnreachable) {
		return executor.ExitUnreachable
	}
	if program, ok := errors.AsType[*runner.ProgramError](err); ok && context.Cause(ctx) == nil && program.Said() {
		return program.Code
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(s.err, "see: %s --help\n", cmd.CommandPath())
		return exitUsage
	}
	if signal, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
		return exitSignalled + int(signal.Signal)
	}
	return exitFailed
}

// saidAlready reports whether err is in a daemon's log, an application's output or stdout already.
func saidAlready(err error) bool {
	if _, ok := errors.AsType[*node.ExitError](err); ok {
		return true
	}
	if errors.Is(err, errDiffers) || errors.Is(err, errViolated) {
		return true
	}
	program, ok := errors.AsType[*runner.ProgramError](err)
	return ok && program.Said()
}

func root(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "coherer",
		Short: "Apache Spark's RPC endpoints as Go actors, to watch, break and measure",
		Example: strings.Join([]string{
			"  coherer run wordcount README.md        a cluster, a job, its messages",
			"  coherer trace show                     the last run, message by message",
			"  coherer explain RegisterWorker         what a message is, its senders and its handler",
		}, "\n"),
		// run prints errors, and for those of usage where the help is.
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("there is no command %q", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(s.in)
	cmd.SetOut(s.out)
	cmd.SetErr(s.err)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	cmd.AddGroup(
		&cobra.Group{ID: "run", Title: "Run:"}, &cobra.Group{ID: "look", Title: "Look:"},
		&cobra.Group{ID: "measure", Title: "Measure:"}, &cobra.Group{ID: "daemons", Title: "Daemons:"},
	)
	for _, command := range []func(streams) *cobra.Command{
		runCommand, submitCommand, scenarioCommand, simCommand, traceCommand, topCommand, statusCommand, membersCommand, whyCommand, explainCommand, configCommand,
		benchCommand, versionCommand, masterCommand, workerCommand, resourceManagerCommand, nodeManagerCommand, rmadminCommand,
		executorCommand, driverCommand,
	} {
		cmd.AddCommand(command(s))
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	return cmd
}
