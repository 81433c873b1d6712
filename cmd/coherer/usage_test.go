package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A value that makes no sense is an error of usage for every command, before anything starts.
func TestBadValuesAreUsage(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	const master = "spark://127.0.0.1:1"
	for _, c := range []struct{ args, want string }{
		{"bench nope", `mode "nope"`},
		{"bench --duration -1s local-tell", "duration -1s"},
		{"bench --in-flight 0 local-tell", "in flight 0"},
		{"config show --conf x", "--conf x"},
		{"config show --conf spark.cores.max=x", `spark.cores.max = "x"`},
		{"config show --properties-file /no/such", "--properties-file"},
		{"explain -o xml RegisterWorker", "want text or json"},
		{"master --host=", `--host "": want an address`},
		{"master --ip=", `--host "": want an address`},
		{"worker " + master + " --host=", `--host "": want an address`},
		{"resourcemanager --host=", `--host "": want an address`},
		{"nodemanager yarn://127.0.0.1:1 --host=", `--host "": want an address`},
		{"master --port 70000", "--port 70000"},
		{"master --webui-port 99999", "--webui-port"},
		{"master --conf x", "--conf x"},
		{"master --conf spark.worker.timeout=abc", `spark.worker.timeout = "abc"`},
		{"master --properties-file /no/such", "--properties-file"},
		{"master --peers x", "--peers"},
		{"master --debug-addr x", "--debug-addr"},
		{"worker " + master + " --cores 0", "--cores 0: want 1 to 2147483647"},
		{"worker " + master + " --cores 2147483648", "--cores 2147483648: want 1 to 2147483647"},
		{"nodemanager yarn://127.0.0.1:1 --cores -1", "--cores -1: want 0 to 2147483647"},
		{"nodemanager yarn://127.0.0.1:1 --cores 4294967298", "--cores 4294967298: want 0"},
		{"run --worker-cores 4294967298 pi", "--worker-cores 4294967298: want 1"},
		{"run --yarn --node-cores 4294967298 pi", "--node-cores 4294967298: want 1"},
		{"run --yarn --nodes 0 pi", "one NodeManager"},
		{"worker " + master + " --memory abc", "--memory"},
		{"worker " + master + " --work-dir hdfs://h/x", `--work-dir: "hdfs://h/x": there is no support for the scheme hdfs`},
		{"nodemanager yarn://127.0.0.1:1 --local-dirs /x,hdfs://h/x", `--local-dirs: "/x,hdfs://h/x": there is no support`},
		{"nodemanager yarn://127.0.0.1:1 --log-dirs hdfs://h/x", `--log-dirs: "hdfs://h/x": there is no support`},
		{"resourcemanager --conf yarn.resourcemanager.fs.state-store.uri=hdfs://h/x", "no support for the scheme hdfs"},
		{"worker " + master + " --webui-port 99999", "--webui-port"},
		{"worker " + master + " --conf x", "--conf x"},
		{"worker " + master + " --debug-addr x", "--debug-addr"},
		{"worker --join x", "--join"},
		{"worker --join 127.0.0.1:1,,127.0.0.1:2", "an address is missing"},
		{"worker spark://127.0.0.1:1,,127.0.0.1:2", "an address is missing"},
		{"master --peers 127.0.0.1:1,,127.0.0.1:2", "an address is missing"},
		{"status --join 127.0.0.1:1,,127.0.0.1:2", "an address is missing"},
		{"status --master yarn://127.0.0.1:0", "port 0"},
		{"nodemanager yarn://127.0.0.1:0", "port 0"},
		{"worker http://x", "want spark://HOST:PORT"},
		{"run nope", "no built-in application"},
		{"run ./no/such", "the application"},
		{"run wordcount", "wordcount: want the arguments FILE [N], got 0"},
		{"run wordcount a b c", "wordcount: want the arguments FILE [N], got 3"},
		{"run wordcount nofile", "nofile: no such file"},
		{"run --yarn wordcount nofile", "nofile: no such file"},
		{"run pi x", `pi: SLICES is "x"`},
		{"run --yarn sleep --tasks 0", "sleep: --tasks is 0"},
		{"submit --master " + master + " pi x", `pi: SLICES is "x"`},
		{"submit --master " + master + " wordcount nofile", "nofile: no such file"},
		{"submit --master " + master + " --deploy-mode cluster sleep --tasks 0", "sleep: --tasks is 0"},
		{"submit --master " + master + " --deploy-mode cluster --conf spark.master.rest.enabled=true pi x", `pi: SLICES is "x"`},
		{"submit --master yarn://127.0.0.1:1 --deploy-mode cluster pi x", `pi: SLICES is "x"`},
		{"run --workers 0 pi", "one Worker"},
		{"run --worker-memory x pi", "--worker-memory"},
		{"run --executor-cores 9 pi", "lower --executor-cores"},
		{"run --worker-cores 3 --conf spark.task.cpus=4 --executor-cores 2 pi", "cores per executor (=2)"},
		{"run --worker-cores 3 --conf spark.task.cpus=4 pi", "a task wants 4 cores"},
		{"run --worker-cores 2 --executor-cores 2 --total-executor-cores 1 pi", "may have 1 in all"},
		{"run --yarn --conf spark.task.cpus=2 pi", "cores per executor (=1)"},
		{"run --yarn --deploy-mode client --conf spark.task.cpus=2 pi", "cores per executor (=1)"},
		{"submit --master " + master + " --conf spark.task.cpus=2 --executor-cores 1 pi", "cores per executor (=1)"},
		{"submit --master " + master + " --deploy-mode cluster --conf spark.task.cpus=2 --executor-cores 1 pi", "cores per executor (=1)"},
		{"submit --master yarn://127.0.0.1:1 --deploy-mode cluster --conf spark.task.cpus=2 pi", "cores per executor (=1)"},
		{"run --conf spark.files=a pi", "--conf spark.files a: nothing acts on it"},
		{"run --yarn --conf spark.files=a pi", "set spark.yarn.dist.files"},
		{"run --yarn --conf spark.submit.pyFiles=a pi", "--conf spark.submit.pyFiles a: nothing acts on it"},
		{"submit --master " + master + " --files a pi", "--files"},
		{"submit --master " + master + " --proxy-user u pi", "--proxy-user u: nothing acts on it"},
		{"run --debug-addr x pi", "--debug-addr"},
		{"run --yarn --nodes 0 pi", "one NodeManager"},
		{"run --yarn --node-memory x pi", "--node-memory"},
		{"run --yarn --executor-memory 99g pi", "--node-memory"},
		{"submit --master spark://x pi", "--master"},
		{"submit --deploy-mode x pi", "--deploy-mode"},
		{"submit --master " + master + " --properties-file /no/such pi", "--properties-file"},
		{"submit --master " + master + " --conf spark.rpc.askTimeout=x pi", "spark.rpc.askTimeout"},
		{"submit --master " + master + " nope", "no built-in application"},
		{"scenario run SPARK-27510 --compat x", "--compat"},
		{"sim --faults x", "--faults"},
		{"sim --workers -1", "-1 workers"},
		{"sim --yarn --masters 3", "--masters is for a cluster of Workers: leave it out with --yarn"},
		{"sim --yarn --drivers 1", "--drivers is for a cluster of Workers: leave it out with --yarn"},
		{"sim --seed 18446744073709551615 --seeds 2", "no seed is above 18446744073709551615"},
		{"status --join x", "--join"},
		{"status --join 127.0.0.1:1 --conf x", "--conf x"},
		{"status --interval 1ms", "--interval"},
		{"top --interval 0s", "--interval"},
		{"trace show --from x", "--from"},
		{"trace export --format x", "--format"},
		{"why app x --master y", "--master"},
		{"resourcemanager --port -1", "--port -1"},
		{"nodemanager a b", `"b" is one argument too many: want coherer nodemanager [yarn://HOST:PORT] [flags]`},
		{"rmadmin move ID", "QUEUE is missing: want coherer rmadmin move APPLICATION QUEUE [flags]"},
		{"scenario show", "NAME is missing: want coherer scenario show NAME"},
		{"scenario SPARK-9731", `there is no command "scenario SPARK-9731": want list, run, show`},
		{"status x", `"x" is one argument too many: want coherer status [flags]`},
		{"nodemanager --memory x", "--memory"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, said := runHere(t, strings.Fields(c.args)...)
			if code != exitUsage || !strings.Contains(said, c.want) {
				t.Errorf("%d %s, want %d and %s", code, said, exitUsage, c.want)
			}
		})
	}
}

// A variable that names a directory of settings which is not there is a mistake: a daemon would start without them.
func TestADirectoryOfSettingsIsThere(t *testing.T) {
	for _, c := range []struct{ variable, args string }{
		{"YARN_CONF_DIR", "resourcemanager"},
		{"HADOOP_CONF_DIR", "nodemanager yarn://127.0.0.1:1"},
		{"YARN_CONF_DIR", "submit --master yarn pi"},
		{"SPARK_CONF_DIR", "master"},
		{"SPARK_CONF_DIR", "worker spark://127.0.0.1:1"},
		{"SPARK_CONF_DIR", "config show"},
		{"SPARK_CONF_DIR", "submit --master spark://127.0.0.1:1 pi"},
	} {
		t.Run(c.variable+" "+c.args, func(t *testing.T) {
			t.Setenv(c.variable, filepath.Join(t.TempDir(), "gone"))
			if code, said := runHere(t, strings.Fields(c.args)...); code == 0 || !strings.Contains(said, c.variable+": ") || !strings.Contains(said, "unset the variable") {
				t.Errorf("%d %s", code, said)
			}
		})
	}
}

// An address that is not this machine's is an error of the host, not of the port.
func TestADriverNamesTheHostThatIsWrong(t *testing.T) {
	for _, setting := range []string{"spark.driver.host", "spark.driver.bindAddress"} {
		got := finish(t, command(t, "submit", "--master", "spark://127.0.0.1:1", "--conf", setting+"=198.51.100.1", "pi", "1"))
		if got.code != exitFailed || !strings.Contains(got.stderr, ": name an address of this machine with "+setting+"\n") {
			t.Errorf("%d %s", got.code, got.stderr)
		}
	}
}

// A life in virtual time warns of settings as a run does.
func TestSimWarnsOfUnknownSettings(t *testing.T) {
	if _, said := runHere(t, "sim", "--conf", "spark.worker.timeuot=5"); !strings.Contains(said, "unknown setting spark.worker.timeuot (--conf): did you mean spark.worker.timeout?") {
		t.Error(said)
	}
}

// A number or a size that spark-submit refuses ends with the words and exit code of spark-submit, in every command, as an option or
// as a setting.
func TestAmountsAreRefusedAsBySparkSubmit(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, c := range []struct{ given, want string }{
		{"--conf spark.cores.max=0", "Total executor cores must be a positive number"},
		{"--conf spark.cores.max=-1", "Total executor cores must be a positive number"},
		{"--conf spark.cores.max=x", "Total executor cores must be a positive number"},
		{"--total-executor-cores 0", "Total executor cores must be a positive number"},
		{"--executor-cores 0", "Executor cores must be a positive number"},
		{"--conf spark.executor.cores=-2", "Executor cores must be a positive number"},
		{"--conf spark.driver.cores=0", "Driver cores must be a positive number"},
		{"--executor-memory x", "Executor memory must be a positive number"},
		{"--executor-memory -1g", "Executor memory must be a positive number"},
		{"--conf spark.driver.memory=0", "Driver memory must be a positive number"},
		{"--conf spark.executor.instances=0", "Number of executors must be a positive number"},
	} {
		for _, command := range []string{"run", "run --yarn", "submit --master spark://127.0.0.1:1", "submit --master yarn://127.0.0.1:1 --deploy-mode cluster"} {
			if command == "run --yarn" && strings.HasPrefix(c.given, "--total") {
				continue // not an option of a run on YARN
			}
			code, said := runHere(t, append(strings.Fields(command), append(strings.Fields(c.given), "pi")...)...)
			if code != exitFailed || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("%s %s: %d %s, want %d and one line: %s", command, c.given, code, said, exitFailed, c.want)
			}
		}
	}
}

// runHere runs a command that must not start anything in this process, and returns its exit code and stderr.
func runHere(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	own := os.Stderr
	os.Stderr = w
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // anything that starts by mistake ends at once
	code = run(ctx, args)
	os.Stderr = own
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return code, string(said)
}
