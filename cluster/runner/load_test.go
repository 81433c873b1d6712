package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// recorded is a record file of one Env and n messages.
func recorded(n int) []byte {
	b := record.AppendRecord([]byte(record.Magic), &tracepb.Record{Kind: tracepb.Kind_ENV, Env: 1, Peer: "Master", Time: 1})
	for i := range n {
		b = record.AppendRecord(b, &tracepb.Record{Kind: tracepb.Kind_SENT, Env: 1, Id: &tracepb.Id{Env: 1, N: uint64(i) + 1}, Time: uint64(i) + 2, Type: "rpc.Bool"})
	}
	return b
}

func put(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A process was killed while it wrote: its whole records are read, one line names the torn one, and the run can be finished.
func TestLoadOfATornRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	whole := recorded(3)
	put(t, filepath.Join(d.Trace(), "Master.trace"), whole[:len(whole)-2])
	put(t, filepath.Join(d.Trace(), "Worker1.trace"), nil)
	got, notes, err := Load("")
	if err != nil || len(got.Entries) != 2 || len(notes) != 1 || !errors.Is(notes[0], record.ErrTorn) ||
		!strings.Contains(notes[0].Error(), "Master.trace") || strings.Contains(notes[0].Error(), "\n") {
		t.Errorf("%+v, %v, %v", got, notes, err)
	}
	if _, err := d.Finish(Details{Name: "a", Version: "v1"}); err != nil {
		t.Error(err)
	}
	got, notes, err = Load(filepath.Base(d.Path()))
	if err != nil || len(got.Entries) != 2 || notes != nil || got.Program != "a" || got.Version != "v1" {
		t.Errorf("%+v, %v, %v", got, notes, err)
	}
	path := filepath.Join(d.Path(), "trace.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, text[:len(text)-5])
	got, notes, err = Load(path)
	if err != nil || len(got.Entries) != 1 || len(notes) != 1 || !errors.Is(notes[0], record.ErrTorn) {
		t.Errorf("%+v, %v, %v", got, notes, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if _, _, err := Load(""); err == nil || !strings.Contains(err.Error(), "make one with coherer run") {
		t.Error(err)
	}
	d := begun(t, "wordcount")
	dir := t.TempDir()
	old := put(t, filepath.Join(dir, "old.trace"), []byte("CHTRACE0\x01\x02\x03"))
	later := put(t, filepath.Join(dir, "later.jsonl"), []byte(`{"format":"coherer-trace/2","x":1}`+"\n"))
	broken := put(t, filepath.Join(dir, "broken.jsonl"), []byte(`{"format":"coherer-trace/1","seed":0,"start":"2026-01-01T00:00:00Z"}`+"\n{\"k\":\"msg\"}\nk\n{}\n"))
	other := put(t, filepath.Join(dir, "other"), []byte("GIF89a"))
	empty := put(t, filepath.Join(dir, "empty"), nil)
	put(t, filepath.Join(d.Trace(), "Master.trace"), []byte("CHTRACE9"))
	for name, wants := range map[string][]string{
		old:                         {"old.trace", `it has version "0", this program reads "2"`},
		later:                       {"later.jsonl", "coherer-trace/2", "coherer-trace/1"},
		broken:                      {"broken.jsonl", "line 3"},
		other:                       {"other", "line 1"},
		empty:                       {"it is empty"},
		dir:                         {"is no run directory"},
		filepath.Join(dir, "x"):     {"there is no run", "no such file"},
		"20260102-030405-wordcoutn": {"there is no run", "did you mean 20260102-030405-wordcount?"},
		"nonsense":                  {"there is no run nonsense: the last ones are 20260102-030405-wordcount"},
		"Worker-":                   {"has to be quoted"},
		filepath.Base(d.Path()):     {"Master.trace", `it has version "9", this program reads "2"`},
	} {
		got, _, err := Load(name)
		if err == nil {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	// A file may be named without a separator too.
	t.Chdir(dir)
	put(t, "one.trace", recorded(2))
	if got, notes, err := Load("one.trace"); err != nil || notes != nil || len(got.Entries) != 2 {
		t.Errorf("%+v, %v, %v", got, notes, err)
	}
}
