package main

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/submit"
)

// dryRun is the JSON of submit --dry-run.
func dryRun(t *testing.T, env []string, args ...string) submit.Plain {
	t.Helper()
	cmd := command(t, append([]string{"submit", "--dry-run", "-o", "json"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("code %d: %s", got.code, got.stderr)
	}
	var d submit.Plain
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil {
		t.Fatalf("%v: %s", err, got.stdout)
	}
	return d
}

// from is a setting and where it comes from.
func from(d submit.Plain, key string) string {
	for _, p := range d.Properties {
		if p.Key == key {
			return p.Value + " from " + p.Origin
		}
	}
	return "nothing"
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	defaults := filepath.Join(dir, "spark-defaults.conf")
	write(t, defaults, "# of everybody\nspark.executor.memory 2g\nspark.cores.max 7\n")
	properties := filepath.Join(dir, "props")
	write(t, properties, "spark.cores.max 3\n")
	env := []string{"SPARK_CONF_DIR=" + dir, "SPARK_EXECUTOR_CORES=2", "MASTER=spark://127.0.0.1:7077", "SPARK_EXECUTOR_MEMORY=9g"}
	d := dryRun(t, env, "pi", "8")
	for key, want := range map[string]string{
		"spark.executor.memory": "2g from " + defaults + ":2", "spark.cores.max": "7 from " + defaults + ":3",
		"spark.executor.cores": "2 from env SPARK_EXECUTOR_CORES", "spark.master": "spark://127.0.0.1:7077 from env MASTER", "spark.app.name": "pi from submit",
	} {
		if got := from(d, key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if !d.Runs || d.Manager != "standalone" || d.DeployMode != "client" || !slices.Equal(d.ChildArgs, []string{"8"}) {
		t.Errorf("%+v", d)
	}
	d = dryRun(t, env, "--properties-file", properties, "pi")
	if got := from(d, "spark.cores.max") + ", " + from(d, "spark.executor.memory"); got != "3 from "+properties+":1, 9g from env SPARK_EXECUTOR_MEMORY" {
		t.Error(got)
	}
	d = dryRun(t, env, "--properties-file="+properties, "--load-spark-defaults", "--conf", "spark.cores.max=1", "pi")
	if got := from(d, "spark.cores.max") + ", " + from(d, "spark.executor.memory"); got != "1 from --conf, 2g from "+defaults+":2" {
		t.Error(got)
	}
}

func TestDryRunOfWhatIsNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jar := filepath.Join(dir, "app.jar")
	writeJar(t, jar, "Manifest-Version: 1.0\r\nMain-Class: org.example.ALongName\r\n OfAClass\r\n\r\nName: x\r\n")
	env := []string{"HADOOP_CONF_DIR=" + dir, "SPARK_HOME=/opt/spark"}
	for _, c := range []struct {
		args            []string
		main, childArgs string
	}{
		{[]string{"--master", "yarn", "--deploy-mode", "cluster", jar, "1"}, "org.apache.spark.deploy.yarn.YarnClusterApplication", "--jar " + jar + " --class org.example.ALongNameOfAClass --arg 1"},
		{[]string{"--master", "yarn", "/x/main.py", "1"}, "org.apache.spark.deploy.PythonRunner", "/x/main.py  1"},
		{[]string{"--master", "yarn", "--deploy-mode=cluster", "/x/main.R"}, "org.apache.spark.deploy.yarn.YarnClusterApplication", "--primary-r-file main.R --class org.apache.spark.deploy.RRunner"},
		{[]string{"--master", "k8s://h:1", "--deploy-mode=cluster", "local:///x/main.py"}, "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication", "--primary-py-file local:///x/main.py --main-class org.apache.spark.deploy.PythonRunner"},
		{[]string{"--master", "local[2,4]", "--class", "C", "/x/a.jar"}, "C", ""},
	} {
		d := dryRun(t, env, c.args...)
		if got := strings.ReplaceAll(strings.Join(d.ChildArgs, " "), "file:", ""); d.MainClass != c.main || got != c.childArgs || d.Runs || d.NotRun == "" {
			t.Errorf("%q: %s %q, runs %v %q", c.args, d.MainClass, got, d.Runs, d.NotRun)
		}
		cmd := command(t, append([]string{"submit"}, c.args...)...)
		cmd.Env = append(cmd.Env, env...)
		if got := finish(t, cmd); got.code != exitUsage || !strings.Contains(got.stderr, "is not run here") {
			t.Errorf("%q: code %d, %s", c.args, got.code, got.stderr)
		}
	}
	got := here(t, "submit", "--dry-run", "--master", "spark://h:7077", "--deploy-mode", "cluster", "--supervise", "/x/prog", "a b")
	for _, want := range []string{"org.apache.spark.deploy.ClientApp", `--supervise launch spark://h:7077 file:/x/prog prog "a b"`, "a path that every Worker sees, or an http(s) address"} {
		if got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("code %d, %s%s, want %q", got.code, got.stdout, got.stderr, want)
		}
	}
}

func writeJar(t *testing.T, path, manifest string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create("META-INF/MANIFEST.MF")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(manifest)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSubmitRefuses(t *testing.T) {
	defaults := filepath.Join(t.TempDir(), "spark-defaults.conf")
	write(t, defaults, "spark.task.cpus 1\nspark.worker.timeout = soon\n")
	t.Setenv("SPARK_CONF_DIR", filepath.Dir(defaults))
	const at = "spark://127.0.0.1:1"
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing", nil, 2, "which application"},
		{"unknown option", []string{"--mastr", at, "pi"}, 2, "Unrecognized option '--mastr'. Did you mean --master?"},
		{"missing value", []string{"--master"}, 2, "Missing argument for option '--master'"},
		{"no =", []string{"--conf", "spark.a", "pi"}, 2, "Spark config without '='"},
		{"no application", []string{"--master", at}, 1, "Must specify a primary resource"},
		{"cores", []string{"--master", at, "--executor-cores", "0", "pi"}, 1, "Executor cores must be a positive number"},
		{"python in a cluster", []string{"--master", at, "--deploy-mode", "cluster", "a.py"}, 1, "python applications on standalone clusters"},
		{"mesos", []string{"--master", "mesos://h:1", "pi"}, 1, "Master must either be yarn or start with spark, k8s, or local"},
		{"no such properties", []string{"--properties-file", "/no/such", "pi"}, 2, "--properties-file: open /no/such"},
		{"no manifest", []string{"--master", "local", "/no/such.jar"}, 1, "Failed to get main class in JAR"},
		{"neither seen by all nor http", []string{"--master", at, "--deploy-mode", "cluster", "hdfs:/prog"}, 2, "neither a path that every Worker sees nor an http(s) address"},
		{"malformed default", []string{"--master", at, "pi"}, 2, defaults + ":2: spark.worker.timeout"},
		{"JSON of a state by RPC", []string{"--properties-file", os.DevNull, "--master", at, "--status", "driver-1", "-o", "json"}, 2, "spark.master.rest.enabled=true"},
		{"usage", []string{"--usage-error"}, 2, "--executor-memory MEMORY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nothing(t, append([]string{"submit"}, c.args...)...); got.code != c.code || !strings.Contains(got.stderr, c.want) {
				t.Errorf("code %d, want %d; stderr %q, want %q", got.code, c.code, got.stderr, c.want)
			}
		})
	}
	if got := here(t, "submit", "--help"); got.code != 0 || !strings.Contains(got.stdout, "--total-executor-cores N") {
		t.Errorf("%+v", got)
	}
	if got := here(t, "submit", "--version", "--nonsense"); got.code != 0 || !strings.HasPrefix(got.stdout, "coherer ") {
		t.Errorf("%+v", got)
	}
}
