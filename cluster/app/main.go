package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/program"
)

// Program is what an application does: its driver. args are those behind the program's name. An error is the application's
// failure; one with a method ExitCode() int, as an *exec.ExitError has, chooses the exit code.
type Program func(ctx context.Context, a *App, args []string) error

// exitUsage is the exit code of a program that was not started as it has to be.
const exitUsage = 2

// Main runs the application and ends the process. It is the first line of main. In a process that a Worker started it runs
// an executor instead. A program that was not submitted says how to do that and exits with 2.
func Main(program Program) {
	var x Execution
	// First: the launcher that ran in this process before has set it.
	if ok, err := fromEnv(ExecutorVar, &x); ok {
		if err == nil {
			err = Execute(x)
		}
		fail(err)
		os.Exit(1)
	}
	if inContainer() && len(os.Args) > 1 {
		RunContainer(os.Args[1], os.Args[2:], func(string) (Program, error) { return program, nil })
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
		err = drive(s, program, os.Args[1:])
	}
	if err != nil {
		if own := s.own(err); own != nil {
			fail(own)
		}
		os.Exit(driver.ExitCode(err))
	}
	os.Exit(0)
}

// RunContainer runs what a NodeManager started this process for, by the word of its command: an ApplicationMaster, whose program
// find returns by its class, or an executor. Then it ends the process. It returns for any other word.
func RunContainer(word string, args []string, find func(class string) (Program, error)) {
	var code int
	var err error
	switch word {
	case submit.ApplicationMasterWord:
		code, err = runMaster(true, args, find)
	case submit.ExecutorLauncherWord:
		code, err = runMaster(false, args, nil)
	case submit.ExecutorWord:
		code, err = 1, executeInContainer(args)
	default:
		return
	}
	if err != nil {
		fail(err)
		code = max(code, applicationmaster.ExitUncaughtException)
	}
	os.Exit(code)
}

// executeInContainer runs an executor of this program. It returns only when that could not begin.
func executeInContainer(args []string) error {
	settings, err := FetchSettings(context.Background(), args)
	if err != nil {
		return err
	}
	digest, _, err := program.Self()
	if err != nil {
		return err
	}
	// A Worker's launcher would fetch the right program; here the NodeManager has started the staged one.
	if wanted := settings[known.AppBinary.Key()]; wanted != digest {
		return fmt.Errorf("this program is %s, its driver's is %s: the file was changed since the application was submitted", digest, wanted)
	}
	return Execute(Execution{Args: args, Settings: settings})
}

func fail(err error) { fmt.Fprintln(os.Stderr, "error:", oneline.Lines(err.Error())) }

// errInterrupted is the error of a program that a signal ended.
var errInterrupted = errors.New("interrupted")
