package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
	"github.com/coherer/coherer/rpcenv/transport"
)

// numbers is the job of the test's application.
var numbers = rdd.Define("app-test-numbers", func(to int64) rdd.Dataset[int64] { return rdd.Range(0, to, 4) })

// testProgram is the test's application: this binary, in a container.
func testProgram(ctx context.Context, a *App, args []string) error {
	switch {
	case slices.Contains(args, "fail"):
		return errors.New("told to fail")
	case slices.Contains(args, "choose"):
		return fmt.Errorf("a command: %w", choice(42))
	case slices.Contains(args, "wait"):
		<-ctx.Done()
		return ctx.Err()
	}
	got, err := rdd.Collect(ctx, a, numbers.With(100))
	if err != nil {
		return err
	}
	fmt.Printf("counted %d of %q\n", len(got), args)
	return nil
}

// cluster is a ResourceManager and a NodeManager that the test plays, over sockets. Containers are processes of this binary.
type cluster struct {
	t    *testing.T
	host *transport.Host
	env  *rpcenv.Env
	conf string // the settings of the application
	dir  string

	called chan struct{} // closed with the first call of an ApplicationMaster

	mu        sync.Mutex
	given     int64
	response  int32
	finished  []*yarn.FinishApplicationMasterRequest
	processes []*exec.Cmd
}

func newCluster(t *testing.T, settings map[string]string) *cluster {
	t.Helper()
	k := &cluster{t: t, dir: t.TempDir(), called: make(chan struct{}), host: transport.New(transport.Options{})}
	var err error
	if k.env, err = rpcenv.New(k.host, rpcenv.Config{Name: "RM", Listen: rpcenv.Address{Host: "127.0.0.1"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, p := range k.processes {
			_ = p.Wait() // an executor ends with its driver; its code does not matter here
			if t.Failed() {
				t.Logf("executor:\n%s", p.Stdout)
			}
		}
		k.env.Close()
		if err := k.host.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{applicationmaster.ServiceName, applicationmaster.NodeName} {
		if _, err := k.env.Register(name, k); err != nil {
			t.Fatal(err)
		}
	}
	all := []conf.Pair{{Key: "spark.hadoop.yarn.resourcemanager.address", Value: k.env.Address().String()}, {Key: "spark.master", Value: "yarn"}}
	for key, value := range settings {
		all = append(all, conf.Pair{Key: key, Value: value})
	}
	k.conf = filepath.Join(k.dir, "conf.properties")
	if err := os.WriteFile(k.conf, []byte(conf.FormatProperties(all)), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

// Receive plays both.
func (k *cluster) Receive(c *rpcenv.Context, m rpcenv.Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch q := m.(type) {
	case *yarn.RegisterApplicationMasterRequest:
		rpcenv.Reply(c, q, &yarn.RegisterApplicationMasterResponse{})
	case *yarn.AllocateRequest:
		if k.response++; k.response == 1 {
			close(k.called)
		}
		r := &yarn.AllocateResponse{ResponseId: k.response, NumClusterNodes: 1}
		for _, a := range q.GetAsk() {
			for range a.GetNumContainers() {
				k.given++
				r.AllocatedContainers = append(r.AllocatedContainers, &yarn.Container{
					Id:     ids.Container{Attempt: testAttempt, Seq: 1 + k.given}.Proto(),
					NodeId: &yarn.NodeId{Host: "127.0.0.1", Port: int32(k.env.Address().Port)}, Resource: a.GetCapability(), Priority: a.GetPriority(),
				})
			}
		}
		rpcenv.Reply(c, q, r)
	case *yarn.StartContainersRequest:
		rpcenv.Reply(c, q, &yarn.StartContainersResponse{SucceededRequests: []*yarn.ContainerId{{}}})
		words := q.GetStartContainerRequest()[0].GetContainerLaunchContext().GetCommand()
		p := k.process(words[1 : len(words)-2]...)
		out := &bytes.Buffer{} // of this process alone: each has a goroutine that writes to it
		p.Stdout, p.Stderr = out, out
		if err := p.Start(); err != nil {
			k.t.Error(err)
			return
		}
		k.processes = append(k.processes, p)
	case *yarn.FinishApplicationMasterRequest:
		k.finished = append(k.finished, q)
		rpcenv.Reply(c, q, &yarn.FinishApplicationMasterResponse{IsUnregistered: true})
	default:
		c.Unsupported(m)
	}
}

var testAttempt = ids.Attempt{App: ids.Application{Timestamp: 1767225600000, ID: 7}, Attempt: 1}

// process is one that a NodeManager starts: this binary.
func (k *cluster) process(words ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	k.t.Cleanup(cancel)
	p := exec.CommandContext(ctx, os.Args[0], words...)
	p.Dir = k.t.TempDir()
	p.Env = append(os.Environ(), containerVar+"="+ids.Container{Attempt: testAttempt, Seq: 1}.String(), "NM_HOST=127.0.0.1", "LOCAL_DIRS="+k.t.TempDir())
	return p
}

func (k *cluster) status() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.finished) == 0 {
		return ""
	}
	return k.finished[0].GetFinalApplicationStatus().String()
}

func TestAnApplicationInClusterModeIsThreeProcessesOfOneProgram(t *testing.T) {
	k := newCluster(t, map[string]string{"spark.executor.instances": "2"})
	staging := filepath.Join(k.dir, ".sparkStaging", testAttempt.App.String())
	if err := os.MkdirAll(staging, 0o700); err != nil {
		t.Fatal(err)
	}
	am := k.process(submit.ApplicationMasterWord, "--class", "numbers", "--arg", "a b", "--arg", "c", "--properties-file", k.conf)
	am.Env = append(am.Env, yarnclient.StagingVar+"="+fileURI(staging))
	var stderr bytes.Buffer
	am.Stderr = &stderr
	out, err := am.Output()
	if err != nil || string(out) != "counted 100 of [\"a b\" \"c\"]\n" || k.status() != "APP_SUCCEEDED" {
		t.Errorf("%v: %q, %s\n%s", err, out, k.status(), &stderr)
	}
	if _, err := os.Stat(staging); !errors.Is(err, os.ErrNotExist) {
		t.Error("the staging directory is still there:", err)
	}
	if len(k.processes) != 2 {
		t.Error(len(k.processes), "executors")
	}
}

func TestAProgramThatFailsLeavesTheApplicationToTheNextAttempt(t *testing.T) {
	k := newCluster(t, map[string]string{"spark.executor.instances": "0"})
	out, err := k.process(submit.ApplicationMasterWord, "--class", "numbers", "--arg", "fail", "--properties-file", k.conf).CombinedOutput()
	if x, ok := errors.AsType[*exec.ExitError](err); !ok || x.ExitCode() != applicationmaster.ExitExceptionUserClass || k.status() != "" {
		t.Errorf("%v, %q\n%s", err, k.status(), out)
	}
}

// choice is an error with an exit code.
type choice int

func (c choice) Error() string { return fmt.Sprint("exit status ", int(c)) }
func (c choice) ExitCode() int { return int(c) }

func TestAProgramThatChoosesItsExitCode(t *testing.T) {
	k := newCluster(t, map[string]string{"spark.executor.instances": "0", "spark.yarn.maxAppAttempts": "1"})
	out, err := k.process(submit.ApplicationMasterWord, "--class", "numbers", "--arg", "choose", "--properties-file", k.conf).CombinedOutput()
	if x, ok := errors.AsType[*exec.ExitError](err); !ok || x.ExitCode() != 42 || k.status() != "APP_FAILED" {
		t.Errorf("%v, %q\n%s", err, k.status(), out)
	}
	if got := k.finished[0].GetDiagnostics(); got != "User application exited with status 42: a command: exit status 42" {
		t.Errorf("%q", got)
	}
	for err, want := range map[error]int{nil: 0, errors.New("x"): 1, choice(3): 3, choice(-1): 1, choice(256): 1, choice(0): 1, errInterrupted: 0} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

// A NodeManager ends a container by SIGTERM.
func TestAnApplicationMasterThatIsTerminatedLeavesTheApplicationToTheNextAttempt(t *testing.T) {
	k := newCluster(t, map[string]string{"spark.executor.instances": "0"})
	am := k.process(submit.ApplicationMasterWord, "--class", "numbers", "--arg", "wait", "--properties-file", k.conf)
	var out bytes.Buffer
	am.Stdout, am.Stderr = &out, &out
	if err := am.Start(); err != nil {
		t.Fatal(err)
	}
	<-k.called
	if err := am.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	err := am.Wait()
	if x, ok := errors.AsType[*exec.ExitError](err); !ok || x.ExitCode() != applicationmaster.ExitEarly || k.status() != "" {
		t.Errorf("%v, %q\n%s", err, k.status(), &out)
	}
}

// The driver is this process, as in client mode; the ApplicationMaster has only its address.
func TestAnExecutorLauncherServesADriverElsewhere(t *testing.T) {
	k := newCluster(t, map[string]string{"spark.executor.instances": "1"})
	digest, _, err := program.Self()
	if err != nil {
		t.Fatal(err)
	}
	c, err := conf.New(map[string]string{known.AppBinary.Key(): digest, "spark.executor.instances": "1"}, known.All())
	if err != nil {
		t.Fatal(err)
	}
	host := transport.New(transport.Options{})
	defer host.Close()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Driver", Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: c})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	d, err := driver.Start(env, driver.Config{AppName: "test", FS: Files{}, YARN: &driver.YARN{AppID: testAttempt.App.String()}})
	if err != nil {
		t.Fatal(err)
	}
	launcher := k.process(submit.ExecutorLauncherWord, "--arg", env.Address().String(), "--properties-file", k.conf)
	var stderr bytes.Buffer
	launcher.Stderr = &stderr
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	got, err := rdd.Collect(t.Context(), &App{driver: d, blocking: env.Blocking}, numbers.With(100))
	if err != nil || len(got) != 100 {
		t.Error(len(got), err)
	}
	b := env.Blocking(t.Context())
	defer b.Close()
	if err := d.Stop(b); err != nil {
		t.Error(err)
	}
	env.Shutdown()
	if err := launcher.Wait(); err != nil || k.status() != "APP_SUCCEEDED" {
		t.Errorf("%v, %s\n%s", err, k.status(), &stderr)
	}
}
