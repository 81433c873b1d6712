package node

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// TestADaemonsServerEndsWithIt holds that nothing of the server is left: TestMain looks for goroutines.
func TestADaemonsServerEndsWithIt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd, err := unix.Dup(int(w.Fd())) // the writer of the ready line closes it
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	log := logrus.New()
	log.SetOutput(t.Output())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	loopback := rpcenv.Address{Host: "127.0.0.1"}
	ended := make(chan error, 1)
	go func() {
		ended <- RunMaster(ctx, Options{
			Role: "master", Listen: loopback, Gossip: loopback, Debug: "127.0.0.1:0", ReadyFD: fd, Log: logrus.NewEntry(log),
		})
	}()
	line, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var ready process.Ready
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + ready.Debug + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(page), `coherer_rpc_inbox_depth{endpoint="Master"`) {
		t.Errorf("%.300s %v", page, err)
	}
	res.Body.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if res, err := client.Get("http://" + ready.Debug + "/metrics"); err == nil {
		res.Body.Close()
		t.Error("it serves after its end")
	}
}
