package node

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A ResourceManager at another port than the one set would be one that no node and no application finds: it ends, as Hadoop's
// does. So does a NodeManager, whose port its ResourceManager knows it by.
func TestYARNsDaemonsTakeNoOtherPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := conf.New(nil, known.All())
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(t.Output())
	opts := Options{
		Listen: rpcenv.Address{Host: "127.0.0.1", Port: int(netip.MustParseAddrPort(l.Addr().String()).Port())}, Pages: rpcenv.Address{Host: "127.0.0.1"},
		Conf: c, Log: logrus.NewEntry(log),
	}
	for name, run := range map[string]func() error{
		"resourcemanager": func() error { return RunResourceManager(t.Context(), opts) },
		"nodemanager": func() error {
			return RunNodeManager(t.Context(), NodeManagerOptions{
				Options: opts, ResourceManager: rpcenv.Address{Host: "127.0.0.1", Port: 1}, LocalDirs: []string{t.TempDir()}, LogDirs: []string{t.TempDir()},
			})
		},
	} {
		if err := run(); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "name a free port with --port") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAResourceManagerHasOnePort(t *testing.T) {
	w := rpctest.New(t, 1)
	h := w.Host("RM", "10.1.0.1")
	keys, err := resourcemanager.NewKeys(zeroes{})
	if err != nil {
		t.Fatal(err)
	}
	at := rpcenv.Address{Host: "10.1.0.1", Port: rmproxy.ResourceManagerPort}
	n, err := ResourceManager(h, rpcenv.Config{Name: "RM", Listen: at}, resourcemanager.Config{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	done := false
	w.ClientEnv("Client", nil).Go("look", func(b *rpcenv.Blocking) error {
		for _, name := range []string{ids.ClientRMService, ids.ResourceTracker, ids.ApplicationMasterService} {
			if _, err := rpcenv.ResolveWait(b, rpcenv.Ref{Address: at, Name: name}.String()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		done = true
		return nil
	})
	w.Until("all endpoints were looked up", func() bool { return done })
	if n.Ref != (rpcenv.Ref{Address: at, Name: ids.ClientRMService}) {
		t.Errorf("its endpoint is %s", n.Ref)
	}
}

// A ResourceManager whose allocation file is bad ends before it says that it is ready.
func TestABadAllocationFileIsNeverReady(t *testing.T) {
	for _, text := range []string{"<allocations><queue name='a'><weight>-x</weight></queue></allocations>", "<allocations", ""} {
		path := filepath.Join(t.TempDir(), "fair-scheduler.xml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := conf.New(map[string]string{scheduler.FairAllocationFile.Key(): path}, known.All())
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		log := logrus.New()
		log.SetOutput(&said)
		err = RunResourceManager(t.Context(), Options{
			Role: "resourcemanager", Listen: rpcenv.Address{Host: "127.0.0.1"}, Pages: rpcenv.Address{Host: "127.0.0.1"}, Conf: c, Log: logrus.NewEntry(log),
		})
		var exit *ExitError
		if !errors.As(err, &exit) || exit.Code != 1 || !strings.Contains(said.String(), "allocation file, line 1: ") {
			t.Errorf("%q: %v\n%s", text, err, said.String())
		}
		if strings.Contains(said.String(), "resourcemanager at yarn://") {
			t.Errorf("%q: it was ready:\n%s", text, said.String())
		}
	}
}

// zeroes is no source of keys for anything but a test.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
