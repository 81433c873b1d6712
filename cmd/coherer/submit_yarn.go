package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
)

// submitToYARN submits an application whose driver runs in the cluster, in the application master.
func submitToYARN(cmd *cobra.Command, s submission) error {
	resource := s.args.CommandLine.Resource
	if path, local := submit.FilePath(resource); local && !s.args.BuiltIn {
		resource = path
	}
	a, err := findApplication(append([]string{resource}, s.args.Args...))
	if err != nil {
		return usage(cmd, err)
	}
	// No readable here: the file of a built-in application need only be on the node of the driver.
	values := s.decision.Properties.Values()
	out := yarnclient.Submission{Mode: submit.Cluster, Name: called(values, a), Class: a.name, Args: a.args}
	if !s.args.BuiltIn {
		out.Jar = s.decision.Resource
	}
	if class, set := s.args.Get("--class"); set && !s.args.BuiltIn {
		out.Class = class.Value
	}
	if a.main == "" {
		out.Program = a.program[0]
	}
	return runner.SubmitToYARN(cmd.Context(), values, a.main, out, os.Stdout, os.Stderr)
}

// aboutYARN ends an application on YARN, or prints its state.
func aboutYARN(cmd *cobra.Command, a *submit.Arguments) error {
	if form, _ := a.Value("--output"); form == "json" {
		return usage(cmd, errors.New("-o json is for --dry-run, and for --status by REST: for applications on YARN there is only text"))
	}
	if _, err := ids.ParseApplication(a.Submission); err != nil {
		return usage(cmd, err)
	}
	in, err := hadoopSettings(variables(), clientOfYARN)
	if err != nil {
		return err
	}
	// As Spark's settings spark.hadoop.*, of which those of the command line win.
	for _, s := range in {
		s.Key = conf.HadoopPrefix + s.Key
		a.Settings.SetMissing(s)
	}
	cfg := yarnclient.Config{Status: a.Submission}
	if a.Action == submit.Kill {
		cfg = yarnclient.Config{Kill: a.Submission}
	}
	return runner.AskYARN(cmd.Context(), a.Settings.Values(), cfg, os.Stdout, os.Stderr)
}

// library is coherer's own program: in client mode it is the application master.
func library() (string, error) {
	_, self, err := program.Self()
	return self, err
}

// onYARN reports whether a command line is about YARN.
func onYARN(a *submit.Arguments) bool { return a.Master() == "yarn" }
