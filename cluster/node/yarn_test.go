package node

import (
	"testing"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestAResourceManagerHasOnePort(t *testing.T) {
	w := rpctest.New(t, 1)
	h := w.Host("RM", "10.1.0.1")
	keys, err := resourcemanager.NewKeys(zeroes{})
	if err != nil {
		t.Fatal(err)
	}
	at := rpcenv.Address{Host: "10.1.0.1", Port: conf.ResourceManagerPort}
	n, err := ResourceManager(h, rpcenv.Config{Name: "RM", Listen: at}, resourcemanager.Config{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	done := false
	w.ClientEnv("Client", nil).Go("look", func(b *rpcenv.Blocking) error {
		for _, name := range []string{resourcemanager.ClientRMServiceName, resourcemanager.ResourceTrackerName, resourcemanager.ApplicationMasterServiceName} {
			if _, err := rpcenv.ResolveWait(b, rpcenv.Ref{Address: at, Name: name}.String()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		done = true
		return nil
	})
	w.Until("all endpoints were looked up", func() bool { return done })
	if n.Ref != (rpcenv.Ref{Address: at, Name: resourcemanager.ClientRMServiceName}) {
		t.Errorf("its endpoint is %s", n.Ref)
	}
}

// zeroes is no source of keys for anything but a test.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
