package node

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// said is a log that goroutines write.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// warnings are the warnings of doors that a daemon at host logs until it is ready.
func warnings(t *testing.T, host string, settings map[string]string, run func(context.Context, Options) error) []string {
	t.Helper()
	c, err := conf.New(settings, known.All())
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd, err := unix.Dup(int(w.Fd())) // the daemon closes it
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	var out said
	log := logrus.New()
	log.SetOutput(&out)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at := rpcenv.Address{Host: host}
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, Options{Listen: at, Gossip: at, Pages: at, Debug: rpcenv.Address{Host: host}.String(), Conf: c, ReadyFD: fd, Log: logrus.NewEntry(log)})
	}()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Errorf("it was never ready: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	var found []string
	for line := range strings.Lines(out.text.String()) {
		if strings.Contains(line, "open to the network") {
			found = append(found, line)
		}
	}
	return found
}

// TestEachOpenDoorIsWarnedOfOnce: the warning says what everybody can do there, and how to close it.
func TestEachOpenDoorIsWarnedOfOnce(t *testing.T) {
	master := func(ctx context.Context, o Options) error { o.Role = "master"; return RunMaster(ctx, o) }
	resourceManager := func(ctx context.Context, o Options) error {
		o.Role = "resourcemanager"
		return RunResourceManager(ctx, o)
	}
	nodeManager := func(ctx context.Context, o Options) error {
		o.Role = "nodemanager"
		return RunNodeManager(ctx, NodeManagerOptions{
			Options: o, ResourceManager: rpcenv.Address{Host: "127.0.0.1", Port: 1}, LocalDirs: []string{t.TempDir()}, LogDirs: []string{t.TempDir()},
		})
	}
	worker := func(ctx context.Context, o Options) error {
		o.Role = "worker"
		return RunWorker(ctx, WorkerOptions{Options: o, Masters: []rpcenv.Address{{Host: "127.0.0.1", Port: 1}}, Cores: 1, MemoryMB: 1024, WorkDir: t.TempDir()})
	}
	rest := map[string]string{"spark.master.rest.enabled": "true", "spark.master.rest.port": "0"}
	for name, c := range map[string]struct {
		settings map[string]string
		run      func(context.Context, Options) error
		want     []string // what the lines of the doors say
	}{
		"master": {rest, master, []string{
			"the RPC port is open|submit and kill", "the port of MasterUI is open|kill applications", "the REST server is open|coherer.rest.tokenFile",
			"gossip is open|coherer.gossip.keyFile", "/debug/pprof is open|profiles",
		}},
		"worker":          {nil, worker, []string{"the RPC port is open|run programs as this user", "the port of WorkerUI is open|output of executors", "gossip is open|coherer.gossip.keyFile", "/debug/pprof is open|profiles"}},
		"resourcemanager": {nil, resourceManager, []string{"the RPC port is open|NodeManagers' users", "the port of ResourceManager is open|yarn.resourcemanager.webapp.address", "gossip is open|coherer.gossip.keyFile", "/debug/pprof is open|profiles"}},
		"nodemanager":     {nil, nodeManager, []string{"the RPC port is open|run programs as this user", "the port of NodeManager is open|output of containers", "gossip is open|coherer.gossip.keyFile", "/debug/pprof is open|profiles"}},
	} {
		got := warnings(t, "0.0.0.0", c.settings, c.run)
		if len(got) != len(c.want) {
			t.Errorf("%s: %d warnings, want %d:\n%s", name, len(got), len(c.want), strings.Join(got, ""))
		}
		for _, want := range c.want {
			door, says, _ := strings.Cut(want, "|")
			if n := matching(got, door, says); n != 1 {
				t.Errorf("%s: %d warnings say %q:\n%s", name, n, want, strings.Join(got, ""))
			}
		}
		if got := warnings(t, "127.0.0.1", c.settings, c.run); len(got) != 0 {
			t.Errorf("%s on loopback: %q", name, got)
		}
	}
}

// matching counts the warnings that have all words.
func matching(lines []string, words ...string) (n int) {
	for _, line := range lines {
		all := strings.Contains(line, "level=warning")
		for _, w := range words {
			all = all && strings.Contains(line, w)
		}
		if all {
			n++
		}
	}
	return n
}
