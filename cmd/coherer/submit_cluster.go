package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// submitToCluster submits a driver that runs on a Worker.
func submitToCluster(ctx context.Context, s streams, sub submission) error {
	d, err := clusterDriver(sub)
	if err != nil {
		return usage(err)
	}
	return callMasters(ctx, s, sub.decision.Master, sub.decision.Properties.Values(), driverclient.Config{Launch: d.Describe()})
}

// clusterDriver is the driver of a submission in cluster mode. Only the variables of Spark go along.
func clusterDriver(sub submission) (driverclient.Driver, error) {
	// The cores and memory are the defaults of Spark's ClientArguments.
	d := driverclient.Driver{Cores: 1, MemoryMB: 1024, Supervise: sub.decision.Supervise, Env: map[string]string{}}
	for _, p := range submit.RESTEnvironment(variables()) {
		d.Env[p.Key] = p.Value
	}
	var err error
	if d.Program, d.MainClass, d.Args, err = clusterProgram(sub.args); err != nil {
		return d, err
	}
	if cores, set := sub.args.Get("--driver-cores"); set {
		if d.Cores, err = strconv.Atoi(cores.Value); err != nil {
			return d, fmt.Errorf("--driver-cores: %w", err)
		}
	}
	if memory, set := sub.args.Get("--driver-memory"); set {
		if d.MemoryMB, err = conf.ParseMemoryMB(memory.Value); err != nil {
			return d, fmt.Errorf("--driver-memory: %w", err)
		}
	}
	values := sub.decision.Properties.Values()
	// The driver has no command line of spark-submit on its Worker: it finds its Master in the settings.
	values[submit.MasterURL.Key()] = sub.decision.Master
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

// callMasters sends a request to the Masters of a URL and waits for its outcome.
func callMasters(ctx context.Context, s streams, master string, values map[string]string, cfg driverclient.Config) error {
	var err error
	if cfg.Masters, err = rpcenv.ParseMasterURL(master); err != nil {
		return fmt.Errorf("--master: %w", err)
	}
	return runner.CallMasters(ctx, values, cfg, s.out, s.err)
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
