package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

func TestConfigShow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	defaults := filepath.Join(dir, "spark-defaults.conf")
	write(t, defaults, "spark.network.timeout 90s\nspark.my.password hidden\nspark.netwrk.timeout 5s\nspark.master.ui.port 9090\n")
	show := func(env []string, args ...string) result {
		t.Helper()
		cmd := command(t, append([]string{"config", "show"}, args...)...)
		cmd.Env = append(append(cmd.Env, "SPARK_CONF_DIR="+dir), env...)
		return finish(t, cmd)
	}
	settings := func(env []string, args ...string) map[string]shownSetting {
		t.Helper()
		got := show(env, append(args, "-o", "json")...)
		var list []shownSetting
		if err := json.Unmarshal([]byte(got.stdout), &list); got.code != 0 || err != nil {
			t.Fatalf("%d %v %s%s", got.code, err, got.stdout, got.stderr)
		}
		byKey := map[string]shownSetting{}
		for _, s := range list {
			byKey[s.Key] = s
		}
		return byKey
	}
	const launches = "spark.yarn.executor.launch.excludeOnFailure.enabled"
	const older = "spark.yarn.blacklist.executor.launch.blacklisting.enabled"
	all := settings([]string{"SPARK_EXECUTOR_MEMORY=3g"}, "--conf", "spark.task.cpus=2", "--conf", older+"=true")
	for key, want := range map[string]string{
		"spark.network.timeout": "90s from " + defaults + ":1", "spark.rpc.askTimeout": "90s from = spark.network.timeout (" + defaults + ":1)",
		launches: "true from = " + older + " (--conf)", older: "true from --conf",
		"spark.task.cpus": "2 from --conf", "spark.executor.memory": "3g from env SPARK_EXECUTOR_MEMORY", "spark.worker.timeout": "60 from default",
		"spark.my.password": rpcenv.Redacted + " from " + defaults + ":2", "spark.master": " from default", "spark.redaction.regex": "(?i)secret|password|token|access[.]?key from default",
	} {
		if s := all[key]; s.Value+" from "+s.Origin != want || s.Meaning == "" {
			t.Errorf("%s: %s from %s, want %s", key, s.Value, s.Origin, want)
		}
	}
	if n := len(known.All().Entries()) + 2; len(all) != n {
		t.Errorf("%d settings, want %d", len(all), n)
	}
	master := settings([]string{"SPARK_MASTER_WEBUI_PORT=1", "SPARK_MASTER_OPTS=-Dspark.worker.timeout=7 -Dspark.task.cpus=3", "SPARK_DAEMON_JAVA_OPTS=-Dspark.worker.timeout=8"}, "--for", "master")
	for key, want := range map[string]string{
		"spark.worker.timeout": "7 from env SPARK_MASTER_OPTS", "spark.master.ui.port": "9090 from " + defaults + ":4", "spark.task.cpus": "3 from env SPARK_MASTER_OPTS",
	} {
		if s := master[key]; s.Value+" from "+s.Origin != want {
			t.Errorf("%s: %s from %s, want %s", key, s.Value, s.Origin, want)
		}
	}
	got := show(nil, "--origin", "network.time")
	if lines := strings.Split(strings.TrimSpace(got.stdout), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "SETTING") || !strings.Contains(lines[1], defaults+":1") {
		t.Errorf("%s", got.stdout)
	}
	got = show(nil, "--conf", "spark.app.name=x\ny\tC:\\temp\\new", "spark.app.name")
	if lines := strings.Split(strings.TrimSpace(got.stdout), "\n"); len(lines) != 2 || !strings.Contains(lines[1], `  x\ny\tC:\temp\new  `) {
		t.Errorf("%s", got.stdout)
	}
	if strings.Count(got.stderr, "unknown setting spark.netwrk.timeout ("+defaults+":3): did you mean spark.network.timeout?") != 1 {
		t.Errorf("%s", got.stderr)
	}
}

// run reads nothing of Spark's environment without --spark-env.
func TestRunIgnoresSparksEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "spark-defaults.conf"), "spark.executor.memory 7g\n")
	t.Setenv("SPARK_CONF_DIR", dir)
	t.Setenv("SPARK_EXECUTOR_MEMORY", "8g")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "--executor-cores", "9", "pi"}, 2, "an executor wants 9 cores"},
		{[]string{"run", "--yarn", "--node-cores", "1", "--executor-cores", "2", "pi"}, 2, "and 2 cores, and a node has 8192 MiB and 1 core: raise"},
		{[]string{"run", "--spark-env", "--executor-cores", "9", "pi"}, 2, "an executor wants 7168 MiB"},
		{[]string{"run", "--spark-env", "--executor-memory", "1m", "--executor-cores", "9", "pi"}, 2, "an executor wants 9 cores"},
	} {
		if got := nothing(t, c.args...); got.code != c.code || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%q: code %d, %s, want %q", c.args, got.code, got.stderr, c.want)
		}
	}
}
