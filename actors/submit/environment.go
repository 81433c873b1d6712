//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

var errNoSparkHome = errors.New("SPARK_HOME does not exist for R application in YARN mode.")

// environment decides which variables go along: all of them to what is started here and, by RPC, to a JVM in the cluster;
// by REST, and to a Go program in the cluster, those of Spark. It mirrors ClientEndpoint and
// RestSubmissionClient.filterSystemEnvironment.
func (b *build) environment() {
	if !b.REST && !(b.Kind == Program && b.is(Standalone, Cluster)) {
		b.Inherits = true
		return
	}
	b.Environment = RESTEnvironment(b.in.Env)
}

// RESTEnvironment are the variables that go along with a submission by REST, sorted.
func RESTEnvironment(env map[string]string) []conf.Pair {
	var out []conf.Pair
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch name {
		case "SPARK_ENV_LOADED", "SPARK_HOME", "SPARK_CONF_DIR": // true of this machine, not of the Worker's
			continue
		}
		if strings.HasPrefix(name, "SPARK_") {
			out = append(out, conf.Pair{Key: name, Value: env[name]})
		}
	}
	return out
}

// notRun says why coherer does not run this, if so.
func (b *build) notRun() {
	_, remote := b.a.Get("--remote")
	switch {
	case remote:
		b.NotRun = errors.New("Spark Connect is not run here: name a Master with --master spark://HOST:PORT")
	case b.Kind != Program:
		b.NotRun = fmt.Errorf("%s is not run here: it wants %s; --dry-run shows what Spark would do, and coherer runs Go programs",
			b.Resource, map[Kind]string{Jar: "a JVM", Python: "Python and a JVM", R: "R and a JVM", Shell: "a JVM", Internal: "a JVM"}[b.Kind])
	case b.Manager == YARN:
		b.NotRun = errors.Join(b.yarnProblem(), b.taskProblem(), CheckUnread(b.a.Get, b.Manager, b.Mode))
	case b.Manager == Kubernetes:
		b.NotRun = fmt.Errorf("master %s is not run here: name a Master with --master spark://HOST:PORT; --dry-run shows what Spark would do", b.Master)
	default:
		b.NotRun = errors.Join(b.sparkProblem(), b.taskProblem(), CheckUnread(b.a.Get, b.Manager, b.Mode))
	}
}

// taskProblem is CheckTasks of the submission.
func (b *build) taskProblem() error {
	c, err := b.Properties.Conf(Settings, rmproxy.Settings, rpcenv.Settings)
	if err != nil {
		return nil //nolint:nilerror // the user of the Decision checks its settings
	}
	return CheckTasks(c, b.Manager)
}

// sparkProblem is what is wrong with a submission of a Go program to a standalone cluster or to none; nil for nothing.
func (b *build) sparkProblem() error {
	if _, err := ParseMaster(b.Master); err != nil {
		return fmt.Errorf("--master: %w", err)
	}
	if b.BuiltIn {
		return nil
	}
	given, local := FilePath(b.a.CommandLine.Resource)
	switch {
	case b.Mode == Cluster && local && !path.IsAbs(given):
		return fmt.Errorf("in cluster mode the driver runs on a Worker, where %q means nothing: name the program by an absolute path that every Worker sees, or by an http or https address", given)
	case b.Mode == Client && !local:
		return fmt.Errorf("%s: the driver is started here: fetch the program and name its file", b.Resource)
	case b.Mode == Cluster && !local && !strings.HasPrefix(b.Resource, "http://") && !strings.HasPrefix(b.Resource, "https://"):
		return fmt.Errorf("%s is neither a path that every Worker sees nor an http(s) address: submit copies nothing", b.Resource)
	}
	return nil
}
