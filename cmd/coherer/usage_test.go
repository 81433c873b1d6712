package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A value that makes no sense is an error of usage for every command, before anything starts.
func TestBadValuesAreUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "settings", "spark.jars a.jar\n")
	const master = "spark://127.0.0.1:1"
	for _, c := range []struct{ args, want string }{
		{"bench nope", `case "nope"`},
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
		{"run --yarn --conf spark.files=a pi", "set spark.yarn.dist.files"},
		{"run --yarn --properties-file settings pi", "settings:1 spark.jars: nothing acts on it in a run on YARN: set spark.yarn.dist.jars"},
		{"run --yarn --conf spark.yarn.dist.files=/no/such#x pi", "spark.yarn.dist.files: stat /no/such: no such file"},
		{"submit --master yarn://127.0.0.1:1 --files /no/such pi", "spark.yarn.dist.files: stat /no/such: no such file"},
		{"submit --master yarn://127.0.0.1:1 --deploy-mode cluster --archives /no/such pi", "spark.yarn.dist.archives: stat /no/such: no such file"},
		{"run --yarn --conf spark.submit.pyFiles=a pi", "--conf spark.submit.pyFiles a: nothing acts on it"},
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
		{"nodemanager a b", `"b" is one argument too many: want coherer nodemanager [yarn://HOST:PORT | gossip://HOST:PORT] [flags]`},
		{"rmadmin move ID", "QUEUE is missing: want coherer rmadmin move APPLICATION QUEUE [flags]"},
		{"scenario show", "NAME is missing: want coherer scenario show NAME"},
		{"scenario SPARK-9731", `there is no command "scenario SPARK-9731": want list, run, show`},
		{"status x", `"x" is one argument too many: want coherer status [flags]`},
		{"nodemanager --memory x", "--memory"},
		{"bench local", `case "local"`},
		{"bench local-tell,", `case ""`},
		{"bench local-tell,nope,remote-tell", `case "nope"`},
		{"bench local-tell remote-tell", `"remote-tell" is one argument too many`},
		{"bench local-tell --in-flight 1,x", `"x" is no whole number`},
		{"bench local-tell --in-flight 1,,2", "a value is missing"},
		{"bench local-tell --in-flight 1,0", "in flight 0"},
		{"bench local-tell --size 76,1kb", `size "1kb"`},
		{"bench local-tell --pairs 1,", "a value is missing"},
		{"bench local-tell --out /no/such/file", "no such file"},
		{"bench local-tell --baseline /no/such/file", "--baseline: open /no/such/file"},
		{"bench local-tell --baseline settings", "--baseline: settings: want a report of coherer bench -o json"},
		{"bench local-tell --fail-if worse>5%", "name it with --baseline"},
		{"bench local-tell --rate -1", "rate -1 a second"},
		{"bench local-tell --rate 20K", "such as 500, 20k or 1.5M"},
		{"bench local-tell --rate 200M", "rate 2e+08 a second"},
		{"bench connect --size 1KiB", "size: connect has no message of a size"},
		{"bench one-way --in-flight 1,64", "number in flight: one-way has no window"},
		{"bench sweep connect --size 1KiB", "size: connect has no message of a size"},
		{"bench local-tell --rate 0.1", "one of each pair"},
		{"bench sweep", "CASE is missing"},
		{"bench sweep nope", `case "nope"`},
		{"bench sweep local-ask,local-tell", "a sweep is of one case"},
		{"bench sweep local-ask --size 76,77", "a sweep is of one case"},
		{"bench sweep local-ask --by size", "want one of in-flight, rate"},
		{"bench sweep local-ask --rate 5", "a sweep finds the rates itself"},
		{"bench plot", "FILE is missing"},
		{"bench local-ask --connect 127.0.0.1:7099", "local-ask has one process"},
		{"bench remote-ask --connect here", "--connect: address here: missing port in address"},
		{"bench serve --listen here", "--listen: address here: missing port in address"},
		{"bench serve x", "one argument too many"},
		{"bench plot /no/such", "no such file"},
		{"bench plot settings", "want a report of coherer bench -o json"},
		{"bench local-tell --size 5B", "size 5B: the message alone has 17B"},
		{"bench local-tell --size 1GiB", "whole number and B, KiB or MiB"},
		{"bench local-tell --size 17MiB", "at most 16MiB"},
		{"bench local-tell --trials 0", "trials 0"},
		{"bench local-tell --duration 0s", "duration 0s"},
		{"bench local-tell --record all", "want on, ring or off"},
		{"bench local-tell -o xml", "want text, json, csv, benchstat"},
		{"config show --for driver", "want submit, master or worker"},
		{"config show -o xml", "want text or json"},
		{"config show --conf spark.task.cpus=many", `--conf: spark.task.cpus = "many"`},
		{"explain --all Master", "exclude each other"},
		{"explain -w", "-w goes with --all"},
		{"explain A B", `"B" is one argument too many: want coherer explain [MESSAGE|ENDPOINT|CONVERSATION] [flags]`},
		{"nope", `no command "nope"`},
		{"nodemanager here", "want HOST:PORT"},
		{"nodemanager gossip://", "want gossip://HOST:PORT"},
		{"nodemanager gossip://here", "want HOST:PORT"},
		{"rmadmin refresh-nodes --timeout 1m", "--timeout is for --graceful"},
		{"rmadmin refresh-nodes --graceful --timeout 1ms", "--timeout 1ms: want 1s at least"},
		{"rmadmin refresh-nodes x", "one argument too many"},
		{"run", "which application"},
		{"run --nope pi", "unknown flag"},
		{"run --nodes 2 pi", "add --yarn"},
		{"run --yarn --workers 2 pi", "leave it out with --yarn"},
		{"run --yarn --node-memory 1g pi", "raise --node-memory"},
		{"run nope", "pi, sleep, wordcount"},
		{"run ./nope", "no such file"},
		{"run ./settings", "chmod +x"},
		{"run wordcount /no/such/file", "/no/such/file"},
		{"run --conf spark.worker.timeout=soon pi", "spark.worker.timeout"},
		{"run --debug-addr=127.0.0.1:9999 pi", "cannot share a port"},
		{"run --conf=coherer.debug.addr=127.0.0.1:9999 pi", "cannot share a port"},
		{"status -o xml", "want text or json"},
		{"status --master http://x", "want spark://HOST:PORT"},
		{"status --master spark://h:1 --join h:2", "not both"},
		{"status --master yarn://x", "want yarn://HOST:PORT"},
		{"status --master yarn", "want yarn://HOST:PORT"},
		{"submit --master " + master + " --deploy-mode sideways pi", "client"},
		{"top spark://127.0.0.1", "spark://127.0.0.1"},
		{"top a b", "want one RUN"},
		{"top --interval 1ms", "100ms at least"},
		{"top -o xml", "want text or json"},
		{"why app", "ID is missing: want coherer why app ID [flags]"},
		{"why app a b", `"b" is one argument too many: want coherer why app ID [flags]`},
		{"why worker", `there is no command "why worker": want app, container`},
		{"why app x --master host:1", "want spark://HOST:PORT"},
		{"why app x --master spark://host", "spark://host"},
		{"why app application_1_1 --master yarn://127.0.0.1:1", "want an id such as application_"},
		{"why app x -o xml", "want text or json"},
		{"why container x", "container_"},
		{"worker", "spark://"},
	} {
		refused(t, exitUsage, c.args, c.want)
	}
}

// What is said well, but of something that is not there, fails with another code.
func TestWhatIsNotThereFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"config show nothing.like.this", "no setting has"},
		{"explain RegisterWroker", "did you mean RegisterWorker"},
		{"explain --all -w", "there is no messages/PROTOCOL.md here"},
		{"rmadmin refresh-nodes", "--master yarn://HOST:PORT"},
		{"submit --master yarn pi", "spark.hadoop.yarn.resourcemanager.address"},
		{"top", "no run goes on: start one with coherer run"},
		{"top nope", "no run nope"},
		{"top 127.0.0.1:7077", "the process at that address is named spark://127.0.0.1:7077"},
		{"trace show nope", "no run nope"},
		{"why app x", "no run goes on"},
		{"why app application_1_0001", "--master yarn://HOST:PORT"},
		{"why container container_1_0001_01_000001", "--master yarn://HOST:PORT"},
	} {
		refused(t, exitFailed, c.args, c.want)
	}
}

func refused(t *testing.T, code int, args, want string) {
	t.Run(args, func(t *testing.T) {
		got := nothing(t, strings.Fields(args)...)
		if got.code != code || !strings.Contains(got.stderr, want) {
			t.Errorf("%d %s, want %d and %s", got.code, got.stderr, code, want)
		}
	})
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
			if got := nothing(t, strings.Fields(c.args)...); got.code == 0 || !strings.Contains(got.stderr, c.variable+": ") || !strings.Contains(got.stderr, "unset the variable") {
				t.Errorf("%d %s", got.code, got.stderr)
			}
		})
	}
}

// An address that is not this machine's is an error of the host, not of the port.
func TestADriverNamesTheHostThatIsWrong(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"spark.driver.host", "spark.driver.bindAddress"} {
		got := finish(t, command(t, "submit", "--master", "spark://127.0.0.1:1", "--conf", setting+"=198.51.100.1", "pi", "1"))
		if got.code != exitFailed || !strings.Contains(got.stderr, ": name an address of this machine with "+setting+"\n") {
			t.Errorf("%d %s", got.code, got.stderr)
		}
	}
}

// A life in virtual time warns of settings as a run does.
func TestSimWarnsOfUnknownSettings(t *testing.T) {
	if said := nothing(t, "sim", "--conf", "spark.worker.timeuot=5").stderr; !strings.Contains(said, "unknown setting spark.worker.timeuot (--conf): did you mean spark.worker.timeout?") {
		t.Error(said)
	}
}

// A number or a size that spark-submit refuses ends with the words and exit code of spark-submit, in every command, as an option or
// as a setting.
func TestAmountsAreRefusedAsBySparkSubmit(t *testing.T) {
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
			got := nothing(t, append(strings.Fields(command), append(strings.Fields(c.given), "pi")...)...)
			if got.code != exitFailed || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%s %s: %d %s, want %d and one line: %s", command, c.given, got.code, got.stderr, exitFailed, c.want)
			}
		}
	}
}
