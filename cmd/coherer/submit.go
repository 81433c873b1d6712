package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func submitCommand() *cobra.Command {
	var a appFlags
	var master, mode string
	cmd := &cobra.Command{
		Use: "submit --master spark://HOST:PORT [flags] APP [ARG...]", GroupID: "run", Short: "Run an application on a cluster that runs already",
		Long: "Run the driver of an application here, on the executors of a cluster (client mode). APP is as for run.\n" +
			"MASTER, SPARK_EXECUTOR_MEMORY and SPARK_EXECUTOR_CORES stand in for the flags, as with spark-submit.",
		Example: "  coherer submit --master spark://127.0.0.1:7077 pi 8",
		Args:    usages(wantsApp),
		RunE: func(cmd *cobra.Command, args []string) error {
			values, err := a.submitValues(master)
			if err != nil {
				return usage(cmd, err)
			}
			if mode != "client" {
				return usage(cmd, fmt.Errorf("--deploy-mode %s: only client is there: the driver runs here", mode))
			}
			if values[conf.MasterURL.Key()] == "" {
				return usage(cmd, errors.New("name the Master with --master spark://HOST:PORT"))
			}
			if _, err := rpcenv.ParseMasterURL(values[conf.MasterURL.Key()]); err != nil {
				return usage(cmd, fmt.Errorf("--master: %w", err))
			}
			if _, err := conf.New(values); err != nil {
				return err
			}
			application, err := findApplication(args)
			if err != nil {
				return err
			}
			return runner.Submit(cmd.Context(), application.program, application.main,
				app.Submission{Name: called(values, application), Conf: values, Progress: true})
		},
	}
	f := cmd.Flags()
	f.StringVar(&master, "master", "", "the Master's `URL`, spark://HOST:PORT[,HOST:PORT...]")
	f.StringVar(&mode, "deploy-mode", "client", "where the driver runs")
	a.flags(f)
	return cmd
}

// submitValues are the settings, with what spark-submit takes from the environment below them.
func (a *appFlags) submitValues(master string) (map[string]string, error) {
	values, err := a.values()
	if err != nil {
		return nil, err
	}
	for key, variable := range map[string]string{
		conf.MasterURL.Key(): "MASTER", conf.ExecutorMemory.Key(): "SPARK_EXECUTOR_MEMORY", conf.ExecutorCores.Key(): "SPARK_EXECUTOR_CORES",
	} {
		if v := os.Getenv(variable); v != "" && values[key] == "" {
			values[key] = v
		}
	}
	if master != "" {
		values[conf.MasterURL.Key()] = master
	}
	return values, nil
}
