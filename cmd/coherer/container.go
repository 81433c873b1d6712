package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/actors/submit"
)

// containerCommands are what a NodeManager starts: the application master of a built-in application with its driver, and
// that of an application whose driver is elsewhere.
func containerCommands() []*cobra.Command {
	of := func(word, short string) *cobra.Command {
		return &cobra.Command{
			Use: word, Hidden: true, DisableFlagParsing: true, Short: short,
			RunE: func(cmd *cobra.Command, args []string) error {
				if len(args) == 0 {
					return usage(cmd, errors.New("this command is started by a NodeManager: use coherer submit --master yarn"))
				}
				app.RunContainer(word, args, builtInProgram) // it ends the process
				return nil
			},
		}
	}
	return []*cobra.Command{
		of(submit.ApplicationMasterWord, "Become an application master with its driver; NodeManagers start it"),
		of(submit.ExecutorLauncherWord, "Become an application master without driver; NodeManagers start it"),
	}
}

// builtInProgram is the built-in application of a name.
func builtInProgram(name string) (app.Program, error) {
	if programs()[name] == nil {
		return nil, fmt.Errorf("--class %s: no built-in application is called that", name)
	}
	return driverOf(name), nil
}
