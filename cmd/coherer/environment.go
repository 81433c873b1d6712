package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// environment is what a daemon takes from Spark's variables of the environment.
type environment struct {
	// options are the -Dkey=value of variables such as SPARK_MASTER_OPTS: they win over files.
	options []conf.Setting
	// settings stand in for what no file sets.
	settings []conf.Setting
	// ignored are options of a JVM, which mean nothing here.
	ignored []string
}

// variable is a variable of the environment that stands in for a flag, or for a setting.
type variable struct{ name, flag, key string }

// Variables of the daemons; of one flag the first that is set holds. They mirror MasterArguments, WorkerArguments and
// Utils.localHostName.
var (
	masterVariables = []variable{
		{name: "SPARK_MASTER_HOST", flag: "host"},
		{name: "SPARK_LOCAL_HOSTNAME", flag: "host"},
		{name: "SPARK_LOCAL_IP", flag: "host"},
		{name: "SPARK_MASTER_PORT", flag: "port"},
		{name: "SPARK_MASTER_WEBUI_PORT", key: known.MasterUIPort.Key()},
	}
	workerVariables = []variable{
		{name: "SPARK_WORKER_HOST", flag: "host"},
		{name: "SPARK_LOCAL_HOSTNAME", flag: "host"},
		{name: "SPARK_LOCAL_IP", flag: "host"},
		{name: "SPARK_WORKER_PORT", flag: "port"},
		{name: "SPARK_WORKER_WEBUI_PORT", key: known.WorkerUIPort.Key()},
		{name: "SPARK_WORKER_CORES", flag: "cores"},
		{name: "SPARK_WORKER_MEMORY", flag: "memory"},
		{name: "SPARK_WORKER_DIR", flag: "work-dir"},
	}
)

// readEnvironment reads the variables of a daemon. opts is that with the daemon's own options, such as SPARK_MASTER_OPTS,
// which win over those that all daemons share.
func readEnvironment(variables []variable, opts string) (*environment, error) {
	e := &environment{}
	var problems []error
	// In this order: of one key the last option holds, so the daemon's own win.
	for _, name := range []string{"SPARK_DAEMON_JAVA_OPTS", opts} {
		list, ignored, err := known.All().ParseJavaOptions(os.Getenv(name), conf.Env(name))
		problems = append(problems, err)
		e.options, e.ignored = append(e.options, list...), append(e.ignored, ignored...)
	}
	e.readSettings(variables)
	return e, errors.Join(problems...)
}

// readSettings reads the variables that stand in for settings.
func (e *environment) readSettings(variables []variable) {
	for _, v := range variables {
		if value := os.Getenv(v.name); v.key != "" && value != "" {
			e.settings = append(e.settings, conf.Setting{Pair: conf.Pair{Key: v.key, Value: value}, From: conf.Env(v.name)})
		}
	}
}

// standIn lets variables stand in for flags that were not given.
func standIn(f *pflag.FlagSet, variables []variable) error {
	var problems []error
	for _, v := range variables {
		value := os.Getenv(v.name)
		// Set marks a flag as changed, so of several variables for one flag the first that is set holds.
		if v.flag == "" || value == "" || f.Changed(v.flag) {
			continue
		}
		if err := f.Set(v.flag, value); err != nil {
			problems = append(problems, fmt.Errorf("%s=%q: %w", v.name, value, err))
		}
	}
	return errors.Join(problems...)
}

// limitMemory makes SPARK_DAEMON_MEMORY, the heap of a daemon, the soft limit of this process.
func limitMemory() error {
	const name = "SPARK_DAEMON_MEMORY"
	size := os.Getenv(name)
	if size == "" {
		return nil
	}
	mb, err := conf.ParseMemoryMB(size)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	debug.SetMemoryLimit(int64(mb) << 20)
	return nil
}
