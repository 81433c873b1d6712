package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// yarnCluster is a ResourceManager and NodeManagers whose processes a test ends, stops and misleads.
type yarnCluster struct {
	t       *testing.T
	address string
	log     *lines // of the ResourceManager
	dirs    string
	nodes   map[string]*exec.Cmd
}

// newYARNCluster starts a ResourceManager. It gives up a node or an ApplicationMaster after ten minutes, unless args say otherwise: on a busy
// machine those that live are late too.
func newYARNCluster(t *testing.T, args ...string) *yarnCluster {
	t.Helper()
	k := &yarnCluster{t: t, log: &lines{to: t.Output()}, dirs: t.TempDir(), nodes: map[string]*exec.Cmd{}}
	_, rm := daemonTo(t, k.log, nil, slices.Concat([]string{"resourcemanager", "--port", "0"}, quick, args)...)
	k.address = rm.URL[strings.Index(rm.URL, "://")+3:]
	return k
}

// node starts a NodeManager, and returns its log.
func (k *yarnCluster) node(name string, args ...string) *lines {
	k.t.Helper()
	log := &lines{to: k.t.Output()}
	all := append([]string{
		"nodemanager", k.address, "--local-dirs", k.local(name), "--log-dirs", k.logs(name), "--conf", "yarn.resourcemanager.connect.retry-interval.ms=200",
	}, quick...)
	k.nodes[name], _ = daemonTo(k.t, log, nil, append(all, args...)...)
	return log
}

func (k *yarnCluster) local(name string) string { return filepath.Join(k.dirs, name, "local") }
func (k *yarnCluster) logs(name string) string  { return filepath.Join(k.dirs, name, "logs") }

// submit begins a submission. said is what it writes to stderr; end waits until it is over.
func (k *yarnCluster) submit(mode string, args ...string) (cmd *exec.Cmd, said *lines, end func() (stdout string)) {
	k.t.Helper()
	all := append([]string{
		"submit", "--master", "yarn", "--deploy-mode", mode, "--queue", "root.a", "--driver-memory", "512m", "--conf", "spark.yarn.stagingDir=" + k.dirs,
		"--conf", "spark.hadoop.yarn.resourcemanager.address=" + k.address, "--conf", "spark.scheduler.maxRegisteredResourcesWaitingTime=1s",
	}, quick...)
	cmd, said = command(k.t, append(all, args...)...), &lines{to: k.t.Output()}
	cmd.Env = append(cmd.Env, "HADOOP_USER_NAME=tester")
	var stdout strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, said
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	return cmd, said, func() string {
		k.t.Helper()
		if err := cmd.Wait(); err != nil {
			k.t.Errorf("%v\n%s\n%s", err, stdout.String(), said.String())
		}
		return stdout.String()
	}
}

// process is the program in the container with this end of its id: not the shell that started it.
func (k *yarnCluster) process(container string) *os.Process {
	k.t.Helper()
	for _, p := range k.processes() {
		if strings.HasSuffix(p.dir, container) && !strings.HasSuffix(p.exe, "bash") {
			found, err := os.FindProcess(p.pid)
			if err != nil {
				k.t.Fatal(err)
			}
			return found
		}
	}
	k.t.Fatalf("no process runs in %s: %v", container, k.processes())
	return nil
}

// running is a process in a container.
type running struct {
	pid      int
	dir, exe string
}

func (k *yarnCluster) processes() (all []running) {
	k.t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		k.t.Fatal(err)
	}
	for _, p := range procs {
		dir, err1 := os.Readlink(p + "/cwd")
		exe, err2 := os.Readlink(p + "/exe")
		if err1 == nil && err2 == nil && strings.HasPrefix(dir, k.dirs) {
			pid, _ := strconv.Atoi(filepath.Base(p))
			all = append(all, running{pid, strings.TrimSuffix(dir, " (deleted)"), exe})
		}
	}
	return all
}

// dies waits for the end of a killed process, which ends only when the kernel schedules it. A process that still lives after ten
// seconds was not killed.
func dies(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	defer unix.Close(fd)
	n, err := 0, error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
	}
	return err == nil && n == 1
}

// clean checks that applications left no process, no files on the nodes that live, and none in the staging directory.
func (k *yarnCluster) clean(nodes ...string) {
	k.t.Helper()
	for _, p := range k.processes() {
		if !dies(p.pid) {
			k.t.Errorf("a process is left: %v", p)
		}
	}
	globs := []string{k.dirs + "/tester/.sparkStaging/*"}
	for _, n := range nodes {
		globs = append(globs, k.local(n)+"/usercache/*/appcache/*")
	}
	for _, g := range globs {
		if left, err := filepath.Glob(g); err != nil || len(left) > 0 {
			k.t.Errorf("%q is left, %v", left, err)
		}
	}
}

// printed is what the driver of the application's attempt printed.
func (k *yarnCluster) printed(attempt string) string {
	k.t.Helper()
	paths, err := filepath.Glob(k.dirs + "/*/logs/application_*/container_*_" + attempt + "_000001/stdout")
	if err != nil || len(paths) != 1 {
		k.t.Fatalf("%q %v", paths, err)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

// ended waits until a node has forgotten the application.
func ended(t *testing.T, nodes ...*lines) {
	t.Helper()
	for _, log := range nodes {
		log.until(t, "transitioned from APPLICATION_RESOURCES_CLEANINGUP to FINISHED")
	}
}

// kill -9 of an ApplicationMaster with its driver: the next attempt does the whole job, and nothing of the first is left. The
// ResourceManager ends an ApplicationMaster that stands still for longer than yarn.am.liveness-monitor.expiry-interval-ms, and
// starts the next attempt likewise.
func TestAnApplicationMasterThatIsKilledOrStandsStill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal syscall.Signal
		event  string
	}{
		"killed": {syscall.SIGKILL, "CONTAINER_FINISHED"}, "stopped": {syscall.SIGSTOP, "EXPIRE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newYARNCluster(t, "--conf", "yarn.am.liveness-monitor.expiry-interval-ms=3000")
			log := k.node("n1")
			_, said, end := k.submit("cluster", "sleep", "--tasks", "6", "--task-time", "500ms")
			// Both executors run: the first attempt has something to leave behind.
			log.until(t, "_01_000003 transitioned from SCHEDULED to RUNNING")
			if err := k.process("_01_000001").Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			k.log.until(t, "_000001 State change from RUNNING to FINAL_SAVING on event = "+c.event)
			out := end()
			if !strings.Contains(out, "final status: SUCCEEDED") {
				t.Errorf("%s\n%s", out, said.String())
			}
			if got := k.printed("02"); got != "6 tasks slept\n" {
				t.Errorf("the second driver printed %q", got)
			}
			ended(t, log)
			k.clean("n1")
		})
	}
}

// A NodeManager that is killed takes its containers with it; the next one in its directories removes what it left and takes
// over its work. One that stands still for longer than yarn.nm.liveness-monitor.expiry-interval-ms is given up, also by the
// driver, and ends what it runs when it comes back.
func TestANodeManagerThatIsKilledOrStandsStill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal syscall.Signal
		tasks  string // too many to be done before the ResourceManager gives up the node
	}{"killed": {syscall.SIGKILL, "6"}, "stopped": {syscall.SIGSTOP, "24"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newYARNCluster(t, "--conf", "yarn.nm.liveness-monitor.expiry-interval-ms=2000")
			// Room for the ApplicationMaster alone, so that all executors run on the node that is lost.
			first := k.node("n1", "--memory", "2g", "--cores", "1")
			_, said, end := k.submit("client", "sleep", "--tasks", c.tasks, "--task-time", "500ms")
			k.log.until(t, "from LAUNCHED to RUNNING on event = REGISTERED")
			second := k.node("n2", "--memory", "4g")
			second.until(t, "_01_000003 transitioned from SCHEDULED to RUNNING")
			nodes, logs := []string{"n1", "n2"}, []*lines{first}
			lost := k.nodes["n2"]
			if err := lost.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if c.signal == syscall.SIGKILL {
				_ = lost.Wait() // it was killed
				logs = append(logs, k.node("n2", "--memory", "4g"))
				k.log.until(t, "Node Transitioned from RUNNING to LOST")
			} else {
				t.Cleanup(func() { _ = lost.Process.Signal(syscall.SIGCONT) }) // it may have ended
				k.log.until(t, "Node Transitioned from RUNNING to LOST")
				nodes, logs = append(nodes, "n3"), append(logs, k.node("n3", "--memory", "4g"))
			}
			if out := end(); out != c.tasks+" tasks slept\n" {
				t.Errorf("printed %q", out)
			}
			if text := said.String(); !strings.Contains(text, "Container released on a *lost* node") {
				t.Error("the driver did not hear of the lost node")
			}
			if c.signal == syscall.SIGSTOP {
				if err := lost.Process.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
				logs = append(logs, second)
			}
			ended(t, logs...)
			k.clean(nodes...)
		})
	}
}

// kill -9 of the client: in client mode it is the driver, so the application ends and removes its staged files; in cluster mode
// the application goes on.
func TestAClientThatIsKilled(t *testing.T) {
	t.Parallel()
	k := newYARNCluster(t)
	log := k.node("n1")
	for app, mode := range []string{"client", "cluster"} {
		cmd, _, _ := k.submit(mode, "sleep", "--tasks", "4", "--task-time", "500ms")
		id := "_000" + strconv.Itoa(app+1)
		log.until(t, id+"_01_000002 transitioned from SCHEDULED to RUNNING")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		k.log.until(t, id+" State change from FINISHING to FINISHED")
		log.until(t, id+" transitioned from APPLICATION_RESOURCES_CLEANINGUP to FINISHED")
	}
	paths, err := filepath.Glob(k.logs("n1") + "/application_*_0002/*_000001/stdout")
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	if text, err := os.ReadFile(paths[0]); err != nil || string(text) != "4 tasks slept\n" {
		t.Errorf("the driver printed %q, %v", text, err)
	}
	k.clean("n1")
}

// A node on which no container starts: executors are tried there until it is excluded, and the job is done elsewhere. When there
// is no other node, the application ends with the limit of failures.
func TestANodeOnWhichNothingStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cores    string // of the good node; the ApplicationMaster takes two
		failures string // that end the application
		fails    string
	}{"one of two": {"3", "9", ""}, "all": {"2", "2", "Max number of executor failures (2) reached"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newYARNCluster(t)
			bad := k.node("bad", "--host", "127.0.0.3", "--memory", "2g", "--cores", "1")
			write(t, filepath.Join(k.local("bad"), "usercache"), "a file where the directories of containers are to be made")
			good := k.node("good", "--host", "127.0.0.2", "--memory", "4g", "--cores", c.cores)
			cmd, said, end := k.submit("client", "--conf", "spark.yarn.am.cores=2", "--conf", "spark.executor.instances=3", "--conf", "spark.yarn.maxAppAttempts=1",
				"--conf", "spark.yarn.max.executor.failures="+c.failures, "--conf", "spark.yarn.scheduler.heartbeat.interval-ms=500", "--conf", "spark.yarn.executor.launch.excludeOnFailure.enabled="+strconv.FormatBool(c.fails == ""),
				"--conf", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode=1", "sleep", "--tasks", "6", "--task-time", "500ms")
			if c.fails == "" {
				if out := end(); out != "6 tasks slept\n" {
					t.Errorf("printed %q", out)
				}
			} else if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(said.String(), c.fails) {
				t.Errorf("it ended with %v", cmd.ProcessState)
			}
			text := said.String()
			if !strings.Contains(text, "Container from a bad node") || !strings.Contains(text, "usercache: not a directory") {
				t.Error("the driver did not hear what is wrong with the bad node")
			}
			// More than one failure exclude the node; the next container may be on its way when the driver hears of the second.
			if n := strings.Count(text, "WARN YarnScheduler: Executor "); c.fails == "" && n != 2 && n != 3 {
				t.Errorf("the bad node was tried %d times", n)
			}
			ended(t, bad, good)
			k.clean("bad", "good")
		})
	}
}
