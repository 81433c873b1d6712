package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// submitToCluster submits a driver that runs on a Worker.
func submitToCluster(cmd *cobra.Command, s submission) error {
	d, err := clusterDriver(s)
	if err != nil {
		return usage(cmd, err)
	}
	values := s.decision.Properties.Values()
	return callMasters(cmd.Context(), s.decision.Master, values, driverclient.Config{Launch: d.Describe()})
}

// clusterDriver is the driver of a submission in cluster mode. Only the variables of Spark go along.
func clusterDriver(s submission) (driverclient.Driver, error) {
	// The cores and memory are the defaults of Spark's ClientArguments.
	d := driverclient.Driver{Cores: 1, MemoryMB: 1024, Supervise: s.decision.Supervise, Env: map[string]string{}}
	for _, p := range submit.RESTEnvironment(variables()) {
		d.Env[p.Key] = p.Value
	}
	var err error
	if d.Program, d.MainClass, d.Args, err = clusterProgram(s.args); err != nil {
		return d, err
	}
	if cores, set := s.args.Get("--driver-cores"); set {
		if d.Cores, err = strconv.Atoi(cores.Value); err != nil {
			return d, fmt.Errorf("--driver-cores: %w", err)
		}
	}
	if memory, set := s.args.Get("--driver-memory"); set {
		if d.MemoryMB, err = conf.ParseMemoryMB(memory.Value); err != nil {
			return d, fmt.Errorf("--driver-memory: %w", err)
		}
	}
	values := s.decision.Properties.Values()
	// The driver has no command line of spark-submit on its Worker: it finds its Master in the settings.
	values[conf.MasterURL.Key()] = s.decision.Master
	text, err := json.Marshal(app.Submission{Name: called(values, application{name: d.MainClass}), Conf: values})
	d.Env[app.SubmissionVar] = string(text)
	return d, err
}

// clusterProgram is where a Worker finds the application's program, its name, and its arguments. It checks a path only if the
// file is on this machine: the Workers may see files that we do not.
func clusterProgram(a *submit.Arguments) (program, class string, args []string, err error) {
	what := a.CommandLine.Resource
	if a.BuiltIn {
		found, err := findApplication(append([]string{what}, a.Args...))
		return driverclient.SparkInternal, what, append([]string{"driver", what}, found.args...), err
	}
	local := strings.TrimPrefix(strings.TrimPrefix(what, "local:"), "file:")
	web := strings.HasPrefix(what, "http://") || strings.HasPrefix(what, "https://")
	switch info, err := os.Stat(local); {
	case web: // the Worker fetches it
	case !filepath.IsAbs(local):
		return "", "", nil, fmt.Errorf("in cluster mode the driver runs on a Worker, where %q means nothing: name the program by an absolute path that every Worker sees, or by an http or https address", what)
	case err == nil && info.IsDir():
		return "", "", nil, fmt.Errorf("%s is a folder: in cluster mode nothing is built: build it with go build -o FILE, and name the file", what)
	case err == nil:
		if _, err := findApplication([]string{local}); err != nil {
			return "", "", nil, err
		}
		what = local
	}
	class = path.Base(what)
	if c, set := a.Get("--class"); set {
		class = c.Value
	}
	return what, class, a.Args, nil
}

// killSubmission kills the driver of a.Submission.
func killSubmission(cmd *cobra.Command, a *submit.Arguments) error {
	return callAbout(cmd, a, driverclient.Config{Kill: a.Submission})
}

// submissionStatus prints the state of the driver of a.Submission.
func submissionStatus(cmd *cobra.Command, a *submit.Arguments) error {
	return callAbout(cmd, a, driverclient.Config{Status: a.Submission})
}

func callAbout(cmd *cobra.Command, a *submit.Arguments, cfg driverclient.Config) error {
	if _, set := a.Get("--master"); !set {
		return usage(cmd, errors.New("name the Master with --master spark://HOST:PORT"))
	}
	return callMasters(cmd.Context(), a.Master(), a.Settings.Values(), cfg)
}

// callMasters sends a request to the Masters of a URL and waits for its outcome.
func callMasters(ctx context.Context, master string, values map[string]string, cfg driverclient.Config) error {
	var err error
	if cfg.Masters, err = rpcenv.ParseMasterURL(master); err != nil {
		return fmt.Errorf("--master: %w", err)
	}
	return runner.CallMasters(ctx, values, cfg, os.Stdout, os.Stderr)
}

// variables are the environment of this process.
func variables() map[string]string {
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return env
}
