package bulk

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

// What a peer says of directories is checked: no list is longer than what came, and each directory is somebody's.
func TestMessagesAboutDirectoriesAreNotTrusted(t *testing.T) {
	text := func(s string) string { return fmt.Sprintf("%08x%x", len(s), s) }
	one := "43480b" + "00000001" + text("1")
	for _, c := range []struct{ body, want string }{
		{one + "00000001" + "00000001" + "00000001" + text("/a"), "map[1:[/a]] <nil>"},
		{one + "00000001" + "00000000" + "00000000", "map[1:[]] <nil>"},
		{one + "00000002" + "00000001" + "00000001" + text("/a"), "malformed frame: 2 numbers for 1 executors"},
		{one + "00000001" + "00000002" + "00000001" + text("/a"), "malformed frame: 2 directories, where 1 are left"},
		{one + "00000001" + "ffffffff" + "00000000", "malformed frame: -1 directories, where 0 are left"},
		{one + "00000001" + "00000001" + "00000002" + text("/a") + text("/b"), "malformed frame: 1 directories of nobody"},
		{one + "00000001" + "00000001" + "00000001" + text("/a") + "00", "malformed frame: 1 bytes too many"},
		{"43480b" + "ffffffff", "malformed frame: -1 executors in 0 bytes"},
		{"43480b" + "00000002" + "00000000", "malformed frame: 2 executors in 4 bytes"},
		{"43480b" + "7fffffff", "malformed frame: 2147483647 executors in 0 bytes"},
		{"43480b" + "00000000" + "00000000" + "00000000", "map[] <nil>"},
	} {
		body, err := hex.DecodeString(c.body)
		if err != nil {
			t.Fatal(err)
		}
		dirs, err := decodeLocalDirs(body)
		if got := fmt.Sprint(dirs, " ", err); err == nil && got != c.want || err != nil && err.Error() != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
	if _, _, err := decodeGetLocalDirs(append(encodeGetLocalDirs("app", []string{"1"}), 0)); err == nil || err.Error() != "malformed frame: 1 bytes too many" {
		t.Errorf("a question that is too long: %v", err)
	}
}

// A malformed question is refused, and nothing is answered after an answer that could not be written.
func TestAServerAnswersEachQuestionAboutDirectories(t *testing.T) {
	bad := appendRPC(nil, wire.RPCRequest, 8, encodeGetLocalDirs("app", nil)[:6])
	good := appendRPC(nil, wire.RPCRequest, 9, encodeGetLocalDirs("app", []string{"1"}))
	known := directories{shelf{}}
	want := slices.Concat(appendRPCFailure(nil, 8, "malformed frame: application"),
		appendRPC(nil, wire.RPCResponse, 9, encodeLocalDirs([]string{"1"}, map[string][]string{"1": {"/a", "/b"}})))
	if _, got := answers(known, bad, good); !bytes.Equal(got, want) {
		t.Errorf("answers\n%q\nwant\n%q", got, want)
	}
	for name, asked := range map[string][]byte{"a refusal": bad, "an answer": good} {
		conn := &torn{&tape{in: bytes.NewReader(slices.Concat(asked, askFile("/f")))}, 0}
		c := serverConn{conn: conn, frames: wire.NewReader(conn), idle: time.Second, blocks: known, files: aFile}
		c.serve()
		if conn.writes != -1 {
			t.Errorf("%s: %d writes after the one that failed", name, -1-conn.writes)
		}
	}
}

// A connection that fails fails the question, whatever the answer before was.
func TestAQuestionAboutDirectoriesFailsWithItsConnection(t *testing.T) {
	at, closer, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, directories{shelf{}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{})
	for _, executors := range [][]string{{"1"}, nil} {
		if _, err := c.LocalDirs(t.Context(), at, "app", executors); err == nil {
			t.Errorf("of %q: no failure", executors)
		}
	}
	on, server, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, shelf{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := c.LocalDirs(t.Context(), on, "app", nil); !errors.Is(err, ErrNotServed) {
		t.Errorf("of nobody, at a server that knows none: %v", err)
	}
}

// owned has the blocks of one owner.
type owned struct {
	shelf
	of Owner
}

func (o owned) OpenBlocksOf(of Owner, ids []string) ([]Chunk, error) {
	if of != o.of {
		return nil, fmt.Errorf("no blocks of %s/%s", of.App, of.Executor)
	}
	return o.OpenBlocks(ids)
}

// A server with the blocks of many hears whose are meant.
func TestAClientSaysWhoseBlocksItAsksFor(t *testing.T) {
	at, closer, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, owned{shelf{"x": bytesChunk([]byte("X"))}, Owner{"app", "3"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if got, err := fetch(t, newClient(t, Options{Of: Owner{"app", "3"}}), at, "x"); err != nil || !slices.Equal(got, []string{"X"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := fetch(t, newClient(t, Options{Of: Owner{"app", "4"}}), at, "x"); !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "no blocks of app/4") {
		t.Errorf("of another: %v", err)
	}
}

func TestABytesChunkHasTheSizeOfItsBytes(t *testing.T) {
	if c := BytesChunk([]byte("abc")); c.Size != 3 {
		t.Errorf("%d bytes", c.Size)
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
