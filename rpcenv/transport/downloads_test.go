package transport

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

func bulkClient(t *testing.T) *bulk.Client {
	c := bulk.NewClient(bulk.Options{})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// download2 fetches a URI into memory.
func download(t *testing.T, c *bulk.Client, uri string) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := c.FetchFile(t.Context(), uri, &b)
	return b.String(), err
}

func TestDownloadsHaveConnectionsOfTheirOwn(t *testing.T) {
	const n = 32
	h := newHost(t, Options{})
	at, accepted := listen(t, h)
	s, err := h.FileServer(at)
	if err != nil {
		t.Fatal(err)
	}
	link := dial(t, h, at)
	link.Send(oneWay("before"))
	peer := await(t, "accept", accepted)
	await(t, "before", peer.got)
	dir := t.TempDir()
	c := bulkClient(t)
	var running sync.WaitGroup
	for i := range n {
		content := strings.Repeat(fmt.Sprint(i, " "), 1<<17)
		path := filepath.Join(dir, fmt.Sprint("f", i))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		uri, err := s.AddFile("", path)
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			for range 3 {
				if got, err := download(t, c, uri); err != nil || got != content {
					t.Errorf("%s: %d bytes, %v", uri, len(got), err)
				}
			}
		})
	}
	link.Send(oneWay("meanwhile"))
	await(t, "meanwhile", peer.got)
	running.Wait()
	if len(accepted) != 0 {
		t.Error("a download became a link")
	}
}

func TestAFileServerIsFoundByTheAddressThatIsAdvertised(t *testing.T) {
	h := newHost(t, Options{})
	at, _ := listen(t, h)
	if _, err := download(t, bulkClient(t), at.SparkURL()+"/files/f"); !errors.Is(err, bulk.ErrNotServed) {
		t.Error("before files are served:", err)
	}
	advertised := rpcenv.Address{Host: "driver.example", Port: at.Port}
	s, err := h.FileServer(advertised)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.FileServer(at); err != nil || again != s {
		t.Error("an Env has one:", err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	uri, err := s.AddFile("", path)
	if u, parseErr := url.Parse(uri); err != nil || parseErr != nil || u.Host != advertised.String() {
		t.Error(uri, err)
	}
	if _, err := h.FileServer(rpcenv.Address{Host: "127.0.0.1", Port: 1}); err == nil {
		t.Error("files are served where nobody listens")
	}
	if _, err := newHost(t, Options{Memory: true}).FileServer(at); err == nil {
		t.Error("a host in memory serves files")
	}
}
