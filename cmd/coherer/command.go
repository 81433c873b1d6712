package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/rpcenv/joined"
)

// options are those of one command, and what it does with them.
type options interface {
	flags(f *pflag.FlagSet)
	run(ctx context.Context, s streams, args []string) error
}

// newCommand gives a command its flags and its work.
func newCommand(s streams, o options, cmd *cobra.Command) *cobra.Command {
	o.flags(cmd.Flags())
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return usage(check(cmd, args)) }
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) }
	return cmd
}

// newGroup gives a command its sub-commands. Without the name of one it prints its help.
func newGroup(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subs...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, sub := range cmd.Commands() { // in the order of the help
			names = append(names, sub.Name())
		}
		return usage(fmt.Errorf("there is no command %q: want %s", cmd.Name()+" "+args[0], strings.Join(names, ", ")))
	}
	return cmd
}

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// usage marks an error as one of usage, and each of the errors that it joins: run prints them one by one.
func usage(err error) error {
	if err == nil {
		return nil
	}
	all := joined.Errors(err)
	for i := range all {
		all[i] = usageError{all[i]}
	}
	return errors.Join(all...)
}

// arguments wants from least to most arguments, those that cmd.Use names.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing: want %s", strings.Fields(cmd.Use)[1+len(args)], cmd.UseLine())
		case len(args) > most:
			return fmt.Errorf("%q is one argument too many: want %s", args[most], cmd.UseLine())
		}
		return nil
	}
}
