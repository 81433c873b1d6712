package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Spark's start scripts pass their arguments on as they are, short or long.
func TestDaemonsTakeTheFlagsOfSparksScripts(t *testing.T) {
	for _, c := range []struct{ command, args, want string }{
		{"worker", "-c 2 -m 2g -d /w -p 7 -i h1 spark://h:1", "cores=2 memory=2g work-dir=/w port=7 host=h1"},
		{"worker", "--cores 2 --memory 2g --work-dir /w --port 7 --ip h1 spark://h:1", "cores=2 memory=2g work-dir=/w port=7 host=h1"},
		{"worker", "--webui-port 9 --properties-file f -h h2 spark://h:1", "webui-port=9 properties-file=f host=h2"},
		{"master", "-i h1 -p 7", "host=h1 port=7"},
		{"master", "-h h2 --port 7 --webui-port 9 --properties-file f", "host=h2 port=7 webui-port=9 properties-file=f"},
	} {
		cmd := map[string]func(streams) *cobra.Command{"worker": workerCommand, "master": masterCommand}[c.command](streams{})
		if err := cmd.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Errorf("%s %s: %v", c.command, c.args, err)
			continue
		}
		for want := range strings.FieldsSeq(c.want) {
			name, value, _ := strings.Cut(want, "=")
			if f := cmd.Flags().Lookup(name); f.Value.String() != value || !f.Changed {
				t.Errorf("%s %s: --%s is %s, want %s", c.command, c.args, name, f.Value, value)
			}
		}
		if got := nothing(t, c.command, "--help"); got.code != 0 {
			t.Errorf("%s --help: %d %s", c.command, got.code, got.stderr)
		}
	}
}

// TestDaemonsReadTheEnvironment starts a Master by variables alone, one of which a flag beats, and refuses bad ones.
func TestDaemonsReadTheEnvironment(t *testing.T) {
	t.Parallel()
	defaults := filepath.Join(t.TempDir(), "spark-defaults.conf")
	write(t, defaults, "coherer.gossip.port 0\nspark.worker.timeout 30\n")
	env := []string{"SPARK_MASTER_HOST=localhost", "SPARK_LOCAL_IP=127.0.0.2", "SPARK_MASTER_PORT=1", "SPARK_CONF_DIR=" + filepath.Dir(defaults), "SPARK_DAEMON_MEMORY=512m", "SPARK_MASTER_OPTS=-Xss1m", "SPARK_MASTER_WEBUI_PORT=0"}
	_, master := daemonWith(t, env, "master", "--port", "0")
	if !strings.HasPrefix(master.URL, "spark://localhost:") || strings.HasSuffix(master.URL, ":1") {
		t.Errorf("the Master is at %s", master.URL)
	}
	_, worker := daemonWith(t, []string{"SPARK_LOCAL_IP=localhost", "SPARK_WORKER_CORES=1", "SPARK_WORKER_MEMORY=512m", "SPARK_WORKER_WEBUI_PORT=0", "SPARK_WORKER_DIR=" + t.TempDir()}, "worker", master.URL)
	if !strings.HasPrefix(worker.URL, "spark://localhost:") {
		t.Errorf("the Worker is at %s", worker.URL)
	}
	for _, c := range []struct {
		env, want string
		args      []string
	}{
		{"SPARK_MASTER_PORT=x", `SPARK_MASTER_PORT="x"`, []string{"master"}},
		{"SPARK_MASTER_PORT=70000", "want a port from 0 to 65535", []string{"master"}},
		{"SPARK_WORKER_CORES=many", `SPARK_WORKER_CORES="many"`, []string{"worker", "spark://127.0.0.1:1"}},
		{"SPARK_WORKER_CORES=4294967298", "--cores 4294967298: want 1 to 2147483647", []string{"worker", "spark://127.0.0.1:1"}},
		{"SPARK_LOCAL_DIRS=/x,hdfs://h/x", `SPARK_LOCAL_DIRS: "/x,hdfs://h/x": there is no support`, []string{"worker", "spark://127.0.0.1:1"}},
		{"SPARK_WORKER_MEMORY=512", "below 1 MiB, or lacks m or g", []string{"worker", "spark://127.0.0.1:1"}},
		{"SPARK_DAEMON_MEMORY=lots", "SPARK_DAEMON_MEMORY", []string{"master"}},
		{"SPARK_MASTER_OPTS=-Dspark.worker.timeout='7", "env SPARK_MASTER_OPTS: it ends within quotes", []string{"master"}},
		{"SPARK_MASTER_OPTS=-Dspark.worker.timeout=soon", "env SPARK_MASTER_OPTS: spark.worker.timeout", []string{"master"}},
		{"SPARK_MASTER_WEBUI_PORT=x", "env SPARK_MASTER_WEBUI_PORT: spark.master.ui.port", []string{"master"}},
		{"SPARK_WORKER_WEBUI_PORT=x", "env SPARK_WORKER_WEBUI_PORT: spark.worker.ui.port", []string{"worker", "spark://127.0.0.1:1"}},
	} {
		cmd := command(t, c.args...)
		cmd.Env = append(cmd.Env, c.env)
		if got := finish(t, cmd); got.code == 0 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: code %d, %s, want %q", c.env, got.code, got.stderr, c.want)
		}
	}
}
