package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
)

// submitToYARN submits an application whose driver runs in the cluster, in the application master.
func submitToYARN(ctx context.Context, s streams, sub submission) error {
	resource := sub.args.CommandLine.Resource
	if path, local := submit.FilePath(resource); local && !sub.args.BuiltIn {
		resource = path
	}
	a, err := findApplication(append([]string{resource}, sub.args.Args...))
	if err != nil {
		return usage(err)
	}
	// No readable here: the file of a built-in application need only be on the node of the driver.
	values := sub.decision.Properties.Values()
	out := yarnclient.Submission{Mode: submit.Cluster, Name: called(values, a), Class: a.name, Args: a.args}
	if !sub.args.BuiltIn {
		out.Jar = sub.decision.Resource
	}
	if class, set := sub.args.Get("--class"); set && !sub.args.BuiltIn {
		out.Class = class.Value
	}
	if a.main == "" {
		out.Program = a.program[0]
	}
	return runner.SubmitToYARN(ctx, values, a.main, out, s.out, s.err)
}

// staged returns an error when a file that YARN is to distribute is missing here. The client that copies it has an application id by
// then, and finds out too late.
func staged(c *conf.Conf) error {
	for _, list := range []*conf.Entry[[]string]{submit.YARNDistJars, submit.YARNDistFiles, submit.YARNDistArchives} {
		for _, uri := range list.Get(c) {
			source, _, _ := strings.Cut(uri, "#")
			if path, local := submit.FilePath(source); local {
				if _, err := os.Stat(path); err != nil {
					return fmt.Errorf("%s: %w", list.Key(), err)
				}
			}
		}
	}
	return nil
}

// aboutYARN ends an application on YARN, or prints its state.
func aboutYARN(ctx context.Context, s streams, a *submit.Arguments) error {
	if form, _ := a.Value("--output"); form == "json" {
		return usage(errors.New("-o json is for --dry-run, and for --status by REST: for applications on YARN there is only text"))
	}
	if _, err := ids.ParseApplication(a.Submission); err != nil {
		return usage(err)
	}
	in, err := hadoopSettings(variables(), clientOfYARN)
	if err != nil {
		return err
	}
	// As Spark's settings spark.hadoop.*, of which those of the command line win.
	for _, setting := range in {
		setting.Key = conf.HadoopPrefix + setting.Key
		a.Settings.SetMissing(setting)
	}
	cfg := yarnclient.Config{Status: a.Submission}
	if a.Action == submit.Kill {
		cfg = yarnclient.Config{Kill: a.Submission}
	}
	return runner.AskYARN(ctx, a.Settings.Values(), cfg, s.out, s.err)
}
