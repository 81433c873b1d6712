package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/examples/wordcount/job"
	"github.com/coherer/coherer/rpcenv/program"
)

// programs are the built-in applications by name.
func programs() map[string]builtin.Program {
	all := maps.Clone(builtin.Programs)
	all["wordcount"] = job.Run
	return all
}

// application is what to run.
type application struct {
	// name is the application's.
	name string
	// program is the driver's file and arguments.
	program []string
	// main is a folder to build instead; program then has the arguments only.
	main string
	// args are the application's own. A file of a built-in one is named so that its driver finds it wherever that starts, as
	// in a container of YARN's.
	args []string
	// file is what a built-in one reads; empty: none.
	file string
}

// readable is nil when the file is where this process is: for a driver here, or in a cluster that has this machine alone.
func (a application) readable() error {
	if a.file == "" {
		return nil
	}
	return job.Readable(a.file)
}

// findApplication finds APP: a built-in name, or, with a path separator, an executable file or a folder with package main.
func findApplication(args []string) (application, error) {
	what, rest := args[0], args[1:]
	if !strings.ContainsRune(what, os.PathSeparator) {
		if programs()[what] == nil {
			return application{}, fmt.Errorf("no built-in application is called %q: there are %s; a program of yours is named by a path, such as ./%s",
				what, strings.Join(slices.Sorted(maps.Keys(programs())), ", "), what)
		}
		if err := builtin.Check(what, rest); err != nil {
			return application{}, err
		}
		file := ""
		if what == "wordcount" {
			parsed, err := job.Parse(rest)
			if err != nil {
				return application{}, err
			}
			// The driver may start in another directory, so it gets the absolute path.
			file = parsed.Path
			rest = append([]string{file}, rest[1:]...)
		}
		_, self, err := program.Self()
		return application{name: what, program: append([]string{self, "driver", what}, rest...), args: rest, file: file}, err
	}
	info, err := os.Stat(what)
	if err != nil {
		return application{}, fmt.Errorf("the application: %w: name an executable file, a folder with package main, or one of %s",
			err, strings.Join(slices.Sorted(maps.Keys(programs())), ", "))
	}
	name := strings.TrimSuffix(what, string(os.PathSeparator))
	name = name[strings.LastIndexByte(name, os.PathSeparator)+1:]
	if info.IsDir() {
		return application{name: name, main: what, program: rest, args: rest}, nil
	}
	if err := process.CheckBinary(what); err != nil {
		return application{}, fmt.Errorf("the application: %w", err)
	}
	path, err := exec.LookPath(what)
	return application{name: name, program: append([]string{path}, rest...), args: rest}, err
}

// wantsApp refuses a command line without an application.
func wantsApp(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("which application? APP is one of %s, or the path of a program or of a folder with package main",
			strings.Join(slices.Sorted(maps.Keys(programs())), ", "))
	}
	return nil
}

// driverOptions are none: a driver reads its own arguments.
type driverOptions struct{ noFlags }

func driverCommand(s streams) *cobra.Command {
	return newCommand(s, driverOptions{}, &cobra.Command{
		Use: "driver", Hidden: true, DisableFlagParsing: true, Short: "Be the driver of a built-in application; run starts it",
	})
}

func (driverOptions) run(_ context.Context, s streams, args []string) error {
	if len(args) == 0 || programs()[args[0]] == nil {
		return usage(errors.New("this command is started by coherer run: use that"))
	}
	os.Args = args // app.Main takes the application's arguments from behind its name
	app.Main(driverOf(args[0], s.out))
	return nil
}

// programOf is the built-in application of a class, for an application master.
func programOf(class string, out io.Writer) (app.Program, error) {
	if programs()[class] == nil {
		return nil, fmt.Errorf("no built-in application is called %q", class)
	}
	return driverOf(class, out), nil
}

// driverOf is a built-in application that prints to out.
func driverOf(name string, out io.Writer) app.Program {
	program := programs()[name]
	return func(ctx context.Context, a *app.App, args []string) error { return program(ctx, a, args, out) }
}
