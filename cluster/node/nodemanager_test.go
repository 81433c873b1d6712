package node

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// nodeManagerVar makes the test's own program a NodeManager instead: its value says which.
const nodeManagerVar = "COHERER_TEST_NODEMANAGER"

// testNode says which NodeManager the test's program is to be.
type testNode struct {
	ResourceManager rpcenv.Address
	Local, Logs     string
	Conf            map[string]string
}

func beNodeManager(text string) {
	var n testNode
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		panic(err)
	}
	if err := n.run(context.Background(), logrus.StandardLogger().Out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (n testNode) run(ctx context.Context, out io.Writer) error {
	c, err := conf.New(n.Conf, known.All())
	if err != nil {
		return err
	}
	log := logrus.New()
	log.SetOutput(out)
	return RunNodeManager(ctx, NodeManagerOptions{
		Options:         Options{Role: "nodemanager", Listen: rpcenv.Address{Host: "127.0.0.1"}, Pages: rpcenv.Address{Host: "127.0.0.1"}, Conf: c, Log: logrus.NewEntry(log)},
		ResourceManager: n.ResourceManager, LocalDirs: []string{n.Local}, LogDirs: []string{n.Logs},
	})
}

// fakeRM is the ResourceTracker that a test plays. It passes what it hears on by channels.
type fakeRM struct {
	nodes chan rpcenv.Address
	ended chan *yarn.ContainerStatus
	gone  chan struct{}
}

var (
	containerKey = &yarn.MasterKey{KeyId: 1, Bytes: []byte("containers")}
	nodeKey      = &yarn.MasterKey{KeyId: 1, Bytes: []byte("nodes")}
)

func (f *fakeRM) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.RegisterNodeManagerRequest:
		rpcenv.Reply(c, m, &yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: containerKey, NmTokenMasterKey: nodeKey, RmIdentifier: 1})
	case *yarn.NodeHeartbeatRequest:
		if id := m.GetNodeStatus().GetNodeId(); m.GetNodeStatus().GetResponseId() == 0 { // the first: now it has its keys
			f.nodes <- rpcenv.Address{Host: id.GetHost(), Port: int(id.GetPort())}
		}
		r := &yarn.NodeHeartbeatResponse{ResponseId: m.GetNodeStatus().GetResponseId() + 1, NextHeartBeatInterval: 1000}
		for _, s := range m.GetNodeStatus().GetContainersStatuses() {
			if s.GetState() == yarn.ContainerState_C_COMPLETE {
				f.ended <- s
			}
		}
		rpcenv.Reply(c, m, r)
	case *yarn.UnRegisterNodeManagerRequest:
		rpcenv.Reply(c, m, &yarn.UnRegisterNodeManagerResponse{})
		close(f.gone)
	default:
		c.Unsupported(m)
	}
}

// yarnKit is a ResourceManager that the test plays, and a NodeManager.
type yarnKit struct {
	t    testing.TB
	rm   *fakeRM
	b    *rpcenv.Blocking
	node testNode
	at   rpcenv.Address
	stop func() error
}

// newYARNKit starts a NodeManager in this process.
func newYARNKit(t testing.TB, settings map[string]string) *yarnKit {
	k := newYARN(t, settings)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- k.node.run(ctx, t.Output()) }()
	k.at = <-k.rm.nodes
	k.stop = func() error {
		cancel()
		return <-ended
	}
	return k
}

// newYARN has the ResourceManager only.
func newYARN(t testing.TB, settings map[string]string) *yarnKit {
	host := transport.New(transport.Options{})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "RM", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	k := &yarnKit{t: t, rm: &fakeRM{nodes: make(chan rpcenv.Address, 10), ended: make(chan *yarn.ContainerStatus, 100), gone: make(chan struct{})}}
	if _, err := env.Register("ResourceTracker", k.rm); err != nil {
		t.Fatal(err)
	}
	k.node = testNode{ResourceManager: env.Address(), Local: filepath.Join(t.TempDir(), "local"), Logs: filepath.Join(t.TempDir(), "logs"), Conf: settings}
	k.b = env.Blocking(context.Background())
	t.Cleanup(func() {
		k.b.Close()
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func containerOf(seq int64) ids.Container {
	return ids.Container{Attempt: ids.Attempt{App: ids.Application{Timestamp: 1, ID: 1}, Attempt: 1}, Seq: seq}
}

// start starts a container.
func (k *yarnKit) start(seq int64, l *yarn.ContainerLaunchContext) ids.Container {
	k.t.Helper()
	id := containerOf(seq)
	nm, err1 := token.Make(token.NM, k.at.String(), nodeKey, &yarn.NMTokenIdentifier{
		AppAttemptId: id.Attempt.Proto(), NodeId: &yarn.NodeId{Host: k.at.Host, Port: int32(k.at.Port)}, KeyId: 1,
	})
	own, err2 := token.Make(token.Container, k.at.String(), containerKey, &yarn.ContainerTokenIdentifier{
		ContainerId: id.Proto(), NmHostAddr: k.at.String(), AppSubmitter: "ann", Resource: &yarn.Resource{Memory: 256, VirtualCores: 1},
		ExpiryTimeStamp: k.b.Now().UnixMilli() + 600_000, MasterKeyId: 1, RmIdentifier: 1,
	})
	if err := errors.Join(err1, err2); err != nil {
		k.t.Fatal(err)
	}
	r, err := rpcenv.AskWait(k.b, rpcenv.Ref{Address: k.at, Name: nodemanager.Name}, &yarn.StartContainersRequest{
		NmToken: nm, StartContainerRequest: []*yarn.StartContainerRequest{{ContainerLaunchContext: l, ContainerToken: own}},
	})
	if err != nil || len(r.GetFailedRequests()) > 0 {
		k.t.Fatalf("%v %v", r, err)
	}
	return id
}

// run runs a command to its end, with what it wrote to a file of its log directory.
func (k *yarnKit) run(seq int64, l *yarn.ContainerLaunchContext, log string) (*yarn.ContainerStatus, string) {
	k.t.Helper()
	id := k.start(seq, l)
	s := <-k.rm.ended
	text, err := os.ReadFile(filepath.Join(k.node.Logs, id.Attempt.App.String(), id.String(), log))
	if err != nil {
		k.t.Error(err)
	}
	return s, string(text)
}

func command(words ...string) *yarn.ContainerLaunchContext {
	return &yarn.ContainerLaunchContext{Command: words}
}

// A shell runs the command in the container's directory, with its resources, credentials and environment; what it writes stays
// when its directory goes.
func TestANodeManagerRunsContainers(t *testing.T) {
	k := newYARNKit(t, nil)
	src := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(src, []byte("the data"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(src)
	if err != nil {
		t.Fatal(err)
	}
	l := command(`{ cat in/data; echo; echo \"\$MINE \$CONTAINER_ID \$GOMAXPROCS \$(cat container_tokens) \$PWD\"; }`, "1><LOG_DIR>/stdout", "2><LOG_DIR>/stderr")
	l.Tokens = []byte("secret")
	l.Environment = []*yarn.StringStringMap{{Key: "MINE", Value: `{"a":"b"}`}}
	l.LocalResources = []*yarn.StringLocalResourceMap{{Key: "in/data", Value: &yarn.LocalResource{
		Resource: &yarn.URL{Scheme: "file", File: src}, Size: info.Size(), Timestamp: info.ModTime().UnixMilli(),
		Type: yarn.LocalResourceType_FILE, Visibility: yarn.LocalResourceVisibility_PRIVATE,
	}}}
	s, out := k.run(1, l, "stdout")
	dir := filepath.Join(k.node.Local, "usercache/ann/appcache", containerOf(1).Attempt.App.String(), containerOf(1).String())
	if want := "the data\n{\"a\":\"b\"} " + containerOf(1).String() + " 1 secret " + dir + "\n"; s.GetExitStatus() != 0 || out != want {
		t.Errorf("%v\n%q, want\n%q", s, out, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the container's directory stays: %v", err)
	}

	s, said := k.run(2, command("echo oh >&2;", "exit 3"), "prelaunch.err")
	if s.GetExitStatus() != 3 || said != "oh\n" || !strings.Contains(s.GetDiagnostics(), "Last 4096 bytes of prelaunch.err :\noh\n") {
		t.Errorf("%v %q", s, said)
	}
	if s, _ := k.run(3, command("no-such-program"), "prelaunch.err"); s.GetExitStatus() != 127 {
		t.Errorf("%v", s)
	}
	if s, _ := k.run(4, command(`kill -9 \$\$`), "prelaunch.err"); s.GetExitStatus() != 137 || !strings.Contains(s.GetDiagnostics(), "Killed by external signal") {
		t.Errorf("%v", s)
	}
	if s, _ := k.run(5, command(`kill -15 \$\$`), "prelaunch.err"); s.GetExitStatus() != 143 {
		t.Errorf("%v", s)
	}
	k.start(6, &yarn.ContainerLaunchContext{Command: []string{"true"}, LocalResources: []*yarn.StringLocalResourceMap{{Key: "x", Value: &yarn.LocalResource{
		Resource: &yarn.URL{Scheme: "file", File: "/no/such/file"}, Type: yarn.LocalResourceType_FILE, Visibility: yarn.LocalResourceVisibility_PUBLIC,
	}}}})
	if s := <-k.rm.ended; s.GetExitStatus() != -1000 || !strings.Contains(s.GetDiagnostics(), "File file:///no/such/file does not exist") {
		t.Errorf("%v", s)
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
	<-k.rm.gone
	entries, err := os.ReadDir(k.node.Local)
	if err != nil || len(entries) != 1 { // the lock
		t.Errorf("%v is left: %v", entries, err)
	}
}

// fifo is a pipe that containers write to by its path; what they say can be waited for, and their end too.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stubborn is a command with a child, neither of which heeds SIGTERM; both hold the fifo open.
func stubborn(path string) *yarn.ContainerLaunchContext {
	return command("trap '' TERM;", "exec 9>"+path+";", "sleep 1000 &", "echo ready >&9;", `while true; do wait; done`)
}

// Spec 6.7: SIGTERM, then SIGKILL to the whole group. So a NodeManager that ends takes its containers with it.
func TestANodeManagerThatEndsEndsItsContainers(t *testing.T) {
	k := newYARNKit(t, nil)
	path := fifo(t)
	k.start(1, stubborn(path))
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	in := bufio.NewReader(r)
	if line, err := in.ReadString('\n'); line != "ready\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("a process of the container is left: %v", err)
	}
}

// The command of a container has yarn.nodemanager.sleep-delay-before-sigkill.ms to end by itself, though it is the child of a
// shell that gets the SIGTERM too.
func TestACommandHasItsTimeToEnd(t *testing.T) {
	k := newYARNKit(t, map[string]string{"yarn.nodemanager.sleep-delay-before-sigkill.ms": "60000"})
	path, program := fifo(t), filepath.Join(t.TempDir(), "polite.sh")
	text := "exec 9>" + path + "\ntrap 'echo bye >&9; exit 0' TERM\necho ready >&9\nwhile true; do sleep 0.01; done\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k.start(1, command("bash "+program))
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	in := bufio.NewReader(r)
	if line, err := in.ReadString('\n'); line != "ready\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
	if said, err := io.ReadAll(in); string(said) != "bye\n" || err != nil {
		t.Errorf("%q %v", said, err)
	}
}

func TestKillingANodeManagerEndsItsContainers(t *testing.T) {
	k := newYARN(t, nil)
	text, err := json.Marshal(k.node)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	starter := process.NewStarter()
	defer starter.Close()
	ended := make(chan rpcenv.Exit, 1)
	p, err := starter.Start(process.Spec{Path: self, Env: []string{nodeManagerVar + "=" + string(text)}}, func(e rpcenv.Exit) { ended <- e })
	if err != nil {
		t.Fatal(err)
	}
	k.at = <-k.rm.nodes
	path := fifo(t)
	k.start(1, stubborn(path))
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	in := bufio.NewReader(r)
	if line, err := in.ReadString('\n'); line != "ready\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := unix.Kill(p.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-ended
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("a process of the container is left: %v", err)
	}
}

// real-yarn D5, with real processes.
func TestAContainerThatUsesTooMuchMemoryIsKilled(t *testing.T) {
	k := newYARNKit(t, map[string]string{
		"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.container-monitor.interval-ms": "50",
		"yarn.nodemanager.pmem-check-enabled": "false", "yarn.nodemanager.vmem-pmem-ratio": "0.001",
	})
	k.start(1, command("sleep 1000"))
	if s := <-k.rm.ended; s.GetExitStatus() != -103 || !strings.Contains(s.GetDiagnostics(), "beyond the 'VIRTUAL' memory limit") {
		t.Errorf("%v", s)
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
}

func TestWhatANodeOffers(t *testing.T) {
	for name, tt := range map[string]struct {
		opts     NodeManagerOptions
		settings map[string]string
		want     nodemanager.Config
	}{
		"nobody says": {NodeManagerOptions{}, nil, nodemanager.Config{MemoryMB: 8192, VCores: 8}},
		"settings":    {NodeManagerOptions{}, map[string]string{"yarn.nodemanager.resource.memory-mb": "100", "yarn.nodemanager.resource.cpu-vcores": "3"}, nodemanager.Config{MemoryMB: 100, VCores: 3}},
		"options":     {NodeManagerOptions{MemoryMB: 5, VCores: 6}, map[string]string{"yarn.nodemanager.resource.memory-mb": "100"}, nodemanager.Config{MemoryMB: 5, VCores: 6}},
	} {
		settings := map[string]string{"yarn.resourcemanager.address": "rm:8032"}
		maps.Copy(settings, tt.settings)
		var err error
		if tt.opts.Conf, err = conf.New(settings, known.All()); err != nil {
			t.Fatal(err)
		}
		got, err := tt.opts.config()
		if err != nil || got.MemoryMB != tt.want.MemoryMB || got.VCores != tt.want.VCores || got.ResourceManager != (rpcenv.Address{Host: "rm", Port: 8032}) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if _, err := (&NodeManagerOptions{}).config(); err == nil {
		t.Error("no ResourceManager is needed")
	}
}

// BenchmarkContainer is how long a container takes that does nothing: from startContainers to the heartbeat that reports its end.
func BenchmarkContainer(b *testing.B) {
	k := newYARNKit(b, nil)
	n := int64(0)
	for b.Loop() {
		n++
		k.start(n, command("true"))
		if s := <-k.rm.ended; s.GetExitStatus() != 0 {
			b.Fatal(s)
		}
	}
	if err := k.stop(); err != nil {
		b.Error(err)
	}
}

// A NodeManager starts, stops and shows containers only for holders of the ResourceManager's tokens: those of this node, of that
// application, and in time.
func TestANodeManagerAndStrangers(t *testing.T) {
	k := newYARNKit(t, nil)
	id, other := containerOf(1), containerOf(2)
	other.Attempt.App.ID = 2
	forged := &yarn.MasterKey{KeyId: 1, Bytes: []byte("the stranger's")}
	nm := func(key *yarn.MasterKey, of ids.Container, port int32) *yarn.Token {
		made, err := token.Make(token.NM, k.at.String(), key, &yarn.NMTokenIdentifier{
			AppAttemptId: of.Attempt.Proto(), NodeId: &yarn.NodeId{Host: k.at.Host, Port: int32(k.at.Port) + port}, KeyId: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	own := func(key *yarn.MasterKey, change func(*yarn.ContainerTokenIdentifier)) *yarn.Token {
		c := &yarn.ContainerTokenIdentifier{
			ContainerId: id.Proto(), NmHostAddr: k.at.String(), AppSubmitter: "ann", Resource: &yarn.Resource{Memory: 256, VirtualCores: 1},
			ExpiryTimeStamp: k.b.Now().UnixMilli() + 600_000, MasterKeyId: 1, RmIdentifier: 1,
		}
		change(c)
		made, err := token.Make(token.Container, k.at.String(), key, c)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	as := func(*yarn.ContainerTokenIdentifier) {}
	good := own(containerKey, as)
	ref := rpcenv.Ref{Address: k.at, Name: nodemanager.Name}
	for _, c := range []struct {
		what    string
		nm, own *yarn.Token
		says    string
	}{
		{"no NMToken", nil, good, "there is no NMToken"},
		{"a forged NMToken", nm(forged, id, 0), good, "the password of the NMToken does not match"},
		{"another node's NMToken", nm(nodeKey, id, 1), good, "node"},
		{"another application's NMToken", nm(nodeKey, other, 0), good, "Unauthorized request to start container"},
		{"no container token", nm(nodeKey, id, 0), nil, "Invalid ContainerToken"},
		{"a forged container token", nm(nodeKey, id, 0), own(forged, as), "Invalid container token used for starting container on : " + k.at.String()},
		{"an NMToken for a container's", nm(nodeKey, id, 0), nm(nodeKey, id, 0), "Invalid container token used for starting container on : " + k.at.String()},
		{"one that expired", nm(nodeKey, id, 0), own(containerKey, func(c *yarn.ContainerTokenIdentifier) { c.ExpiryTimeStamp = 1 }), "This token is expired"},
		{"another node's", nm(nodeKey, id, 0), own(containerKey, func(c *yarn.ContainerTokenIdentifier) { c.NmHostAddr = "h:1" }), "identifier is not valid for current Node manager. Expected : " + k.at.String() + " Found : h:1"},
		{"an earlier ResourceManager's", nm(nodeKey, id, 0), own(containerKey, func(c *yarn.ContainerTokenIdentifier) { c.RmIdentifier = 7 }), "allocated by a previous RM"},
		{"a user with a path", nm(nodeKey, id, 0), own(containerKey, func(c *yarn.ContainerTokenIdentifier) { c.AppSubmitter = "../ann" }), "no plain name"},
	} {
		r, err := rpcenv.AskWait(k.b, ref, &yarn.StartContainersRequest{
			NmToken: c.nm, StartContainerRequest: []*yarn.StartContainerRequest{{ContainerLaunchContext: command("true"), ContainerToken: c.own}},
		})
		said := fmt.Sprint(err, r.GetFailedRequests())
		if len(r.GetSucceededRequests()) > 0 || !strings.Contains(said, c.says) {
			t.Errorf("%s: %v %s, want %q", c.what, r.GetSucceededRequests(), said, c.says)
		}
	}
	k.start(1, command("sleep 600"))
	r, err := rpcenv.AskWait(k.b, ref, &yarn.StopContainersRequest{NmToken: nm(nodeKey, other, 0), ContainerId: []*yarn.ContainerId{id.Proto()}})
	if err != nil || len(r.GetSucceededRequests()) > 0 || len(r.GetFailedRequests()) != 1 {
		t.Errorf("another application stopped a container: %v %v", r, err)
	}
	if _, err := rpcenv.AskWait(k.b, ref, &yarn.StopContainersRequest{NmToken: nm(forged, id, 0), ContainerId: []*yarn.ContainerId{id.Proto()}}); err == nil {
		t.Error("a stranger stopped a container")
	}
	if _, err := rpcenv.AskWait(k.b, ref, &yarn.StopContainersRequest{NmToken: nm(nodeKey, id, 0), ContainerId: []*yarn.ContainerId{id.Proto()}}); err != nil {
		t.Error(err)
	}
	if s := <-k.rm.ended; s.GetContainerId().GetId() != id.Seq || s.GetExitStatus() != -105 {
		t.Errorf("%v", s)
	}
	if err := k.stop(); err != nil {
		t.Error(err)
	}
}
