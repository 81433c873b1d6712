package raftlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func entry(index, term uint64) *deploy.LogEntry {
	return &deploy.LogEntry{Index: index, Term: term, Changes: fmt.Appendf(nil, "change %d", index)}
}

var (
	identity = &deploy.LogIdentity{Version: 1, Self: "a:1", Peers: []string{"a:1", "b:1", "c:1"}}
	vote     = &deploy.LogVote{Term: 3, Vote: 2, Commit: 4}
)

// batches are what an election may write, one after the other.
var batches = []election.Batch{
	{Identity: identity, Vote: &deploy.LogVote{}},
	{Entries: []*deploy.LogEntry{entry(1, 1), entry(2, 1), entry(3, 1)}},
	{Vote: vote, Entries: []*deploy.LogEntry{entry(3, 2), entry(4, 2), entry(5, 2)}},
	{Snapshot: &deploy.LogSnapshot{Index: 3, Term: 2, State: []*deploy.LogChange{{Key: "k", Value: []byte("v")}}}},
	{Entries: []*deploy.LogEntry{entry(5, 3)}},
	{Whole: true, Snapshot: &deploy.LogSnapshot{Index: 9, Term: 3}, Entries: []*deploy.LogEntry{entry(10, 3)}},
}

// A file names the Masters of its group, from the first batch on.
func TestAFileNamesItsGroup(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "log.db"))
	defer f.Close()
	if peers, err := f.Peers(); len(peers) > 0 || err != nil {
		t.Errorf("a new file: %v %v", peers, err)
	}
	if err := f.Save(nil, batches[0]); err != nil {
		t.Fatal(err)
	}
	if peers, err := f.Peers(); err != nil || fmt.Sprint(peers) != "[a:1 b:1 c:1]" {
		t.Errorf("%v %v", peers, err)
	}
}

// A file has what the log in memory has, after each batch, also when it is opened again.
func TestAFileKeepsWhatALogKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "log.db")
	model := &election.MemoryLog{}
	for i, b := range batches {
		f := open(t, path)
		if err := errors.Join(f.Save(nil, b), model.Save(nil, b), f.Close()); err != nil {
			t.Fatal(err)
		}
		f = open(t, path)
		got, err := f.Load(nil)
		want, _ := model.Load(nil)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(got.Identity, want.Identity) || !proto.Equal(got.Vote, want.Vote) || !proto.Equal(got.Snapshot, want.Snapshot) ||
			fmt.Sprint(got.Entries) != fmt.Sprint(want.Entries) {
			t.Errorf("after batch %d: %v\nwant %v", i, got, want)
		}
	}
}

func TestAFileBelongsToOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.db")
	f := open(t, path)
	defer f.Close()
	if _, err := Open(path); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

// Whatever happens to a file, it is an error or did no harm: bytes are turned, and the file cut, at many places. A broken
// header alone is as a crash in the middle of the last write, which is undone.
func TestADamagedFileIsTold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log.db")
	f := open(t, path)
	var undone string
	for i, b := range batches[:4] {
		if i == 3 {
			s, err := f.Load(nil)
			if err != nil {
				t.Fatal(err)
			}
			undone = fmt.Sprint(s)
		}
		if err := f.Save(nil, b); err != nil {
			t.Fatal(err)
		}
	}
	want, err := f.Load(nil)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found, late := 0, 0
	try := func(what string, content []byte) {
		path := filepath.Join(dir, strings.ReplaceAll(what, " ", "-")+".db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			var got election.Saved
			got, err = f.Load(nil)
			if err == nil && fmt.Sprint(got) != fmt.Sprint(want) && fmt.Sprint(got) != undone {
				t.Errorf("%s: %v is believed", what, got)
			}
			if err == nil {
				if err = f.Save(nil, batches[4]); err != nil {
					late++
				}
			}
			_ = f.Close() // it is broken
		}
		if err != nil {
			found++
			text := err.Error()
			if !errors.Is(err, election.ErrLogDamaged) || strings.Count(text, path) != 1 || !strings.Contains(text, "remove it") ||
				strings.Contains(text, "runtime error") {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	size := os.Getpagesize()
	for i := range good {
		if i%97 != 0 && i%size > 24 { // the head of each page, and some of the rest
			continue
		}
		content := append([]byte(nil), good...)
		content[i] ^= 0xff
		try(fmt.Sprintf("byte %d", i), content)
	}
	for n := 1; n < len(good); n += 997 {
		try(fmt.Sprintf("%d bytes", n), good[:n])
	}
	try("text", []byte(strings.Repeat("this is no log\n", 1000)))
	try("zeros", make([]byte, len(good)))
	try("three pages", good[:3*size])
	if found < 20 || late == 0 {
		t.Errorf("only %d were found, %d of them by a Save: the test shows little", found, late)
	}
}

// The error for a place where no file can be names it once, and says what to do.
func TestAFileThatCannotBeOpenedIsNamed(t *testing.T) {
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "folder"), filepath.Join(dir, "file")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, isFolder := Open(folder)
	_, inFile := Open(filepath.Join(file, "log.db"))
	denied := unusable(&fs.PathError{Op: "open", Path: "/log.db", Err: syscall.EACCES}) // root is denied nothing
	for err, want := range map[error]string{
		isFolder: "the log of this Master: open " + folder + ": is a directory: name another directory by spark.deploy.recoveryDirectory",
		inFile:   "the log of this Master: mkdir " + file + ": not a directory: name another directory by spark.deploy.recoveryDirectory",
		denied: "the log of this Master: open /log.db: permission denied: let the Master's user read and write it, or name another " +
			"directory by spark.deploy.recoveryDirectory",
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestTheFileOfAMasterStaysInItsDirectory(t *testing.T) {
	got := Path("/dir", rpcenv.Address{Host: "../../etc", Port: 1})
	if filepath.Dir(got) != "/dir" {
		t.Error(got)
	}
}
