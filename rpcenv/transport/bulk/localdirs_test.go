package bulk

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// directories has those of executor 1, and beside them blocks.
type directories struct{ shelf }

func (directories) LocalDirs(application string, executors []string) (map[string][]string, error) {
	all := map[string][]string{"1": {"/a", "/b"}, "2": nil}
	for _, id := range executors {
		if _, ok := all[id]; !ok || application != "app" {
			return nil, fmt.Errorf("no executor %s of %s", id, application)
		}
	}
	return all, nil
}

func TestAServerSaysWhereExecutorsKeepTheirBlocks(t *testing.T) {
	at, closer, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, directories{shelf{"x": bytesChunk([]byte("x"))}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	c := newClient(t, Options{})
	for range 2 { // the connection is used again, also for blocks
		dirs, err := c.LocalDirs(t.Context(), at, "app", []string{"1"})
		if err != nil || !maps.EqualFunc(dirs, map[string][]string{"1": {"/a", "/b"}}, slices.Equal) {
			t.Error(dirs, err)
		}
		if got, err := fetch(t, c, at, "x"); err != nil || !slices.Equal(got, []string{"x"}) {
			t.Error(got, err)
		}
	}
	wantPeers(t, c, at, 1, 1)
	if _, err := c.LocalDirs(t.Context(), at, "app", []string{"9"}); !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "no executor 9 of app") {
		t.Error(err)
	}
	if _, err := c.LocalDirs(t.Context(), at, "app", []string{"2"}); !errors.Is(err, wire.ErrMalformedFrame) {
		t.Errorf("an executor without directories: %v", err)
	}
	if _, err := c.LocalDirs(t.Context(), serve(t, shelf{}), "app", []string{"1"}); !errors.Is(err, ErrNotServed) {
		t.Errorf("a server that knows none: %v", err)
	}
}

// The bytes are those of Spark's GetLocalDirsForExecutors and LocalDirsForExecutors.
func TestMessagesAboutDirectoriesHaveSparksBytes(t *testing.T) {
	text := func(s string) string { return fmt.Sprintf("%08x%x", len(s), s) }
	question := "43480a" + text("app") + "00000001" + text("1")
	answer := "43480b" + "00000002" + text("1") + text("2") + "00000002" + "00000002" + "00000001" + "00000003" + text("/a") + text("/b") + text("/c")
	if got := hex.EncodeToString(encodeGetLocalDirs("app", []string{"1"})); got != question {
		t.Error(got)
	}
	dirs := map[string][]string{"1": {"/a", "/b"}, "2": {"/c"}}
	raw := encodeLocalDirs([]string{"1", "2"}, dirs)
	if got := hex.EncodeToString(raw); got != answer {
		t.Error(got)
	}
	if got, err := decodeLocalDirs(raw); err != nil || !reflect.DeepEqual(got, dirs) {
		t.Error(got, err)
	}
	for i := range raw {
		if _, err := decodeLocalDirs(raw[:i]); err == nil {
			t.Errorf("cut at %d of %d", i, len(raw))
		}
	}
}

func FuzzDecodeLocalDirs(f *testing.F) {
	f.Add(encodeLocalDirs([]string{"1", "2"}, map[string][]string{"1": {"/a", "/b"}, "2": {"/c"}}))
	f.Add(encodeGetLocalDirs("app", []string{"1"}))
	f.Fuzz(func(t *testing.T, body []byte) {
		if dirs, err := decodeLocalDirs(body); err == nil && len(dirs) > len(body)/4 {
			t.Errorf("%d executors in %d bytes", len(dirs), len(body))
		}
		if _, executors, err := decodeGetLocalDirs(body); err == nil && len(executors) > len(body)/4 {
			t.Errorf("%d executors in %d bytes", len(executors), len(body))
		}
	})
}
