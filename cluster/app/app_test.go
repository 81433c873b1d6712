package app

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

func TestMain(m *testing.M) {
	if inContainer() {
		Main(testProgram)
	}
	goleak.VerifyTestMain(m)
}

func TestBlocksAreKeptAndServed(t *testing.T) {
	b, err := newBlocks([]string{t.TempDir()}, rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	client := bulk.NewClient(bulk.Options{})
	defer func() {
		if err := errors.Join(client.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := b.Put([]string{"a", "empty", "c"}, [][]byte{[]byte("one"), nil, bytes.Repeat([]byte("x"), 1<<20)}); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Get("a"); err != nil || string(got) != "one" {
		t.Error(string(got), err)
	}
	if _, err := b.Get("empty"); err == nil {
		t.Error("an empty block is kept")
	}
	host := transport.New(transport.Options{})
	defer host.Close()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	body := env.Blocking(t.Context())
	defer body.Close()
	var sizes []int
	err = Transfer{client}.Fetch(body, b.Address(), []string{"c", "a"}, func(_ int, data []byte) error {
		sizes = append(sizes, len(data))
		return nil
	})
	if err != nil || len(sizes) != 2 || sizes[0] != 1<<20 || sizes[1] != 3 {
		t.Error(sizes, err)
	}
	err = Transfer{client}.Fetch(body, b.Address(), []string{"nobody"}, func(int, []byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Error("a missing block:", err)
	}
}

// A block that was put alone leaves no file when it is removed.
func TestARemovedBlockLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	b, err := newBlocks([]string{dir}, rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, id := range []string{"a", "b"} {
		if err := b.Put([]string{id}, [][]byte{[]byte(id)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // a second time it is not there any more
		if err := b.Remove("a"); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Get("a"); err == nil {
		t.Error("the block is still there")
	}
	if data, err := b.Get("b"); string(data) != "b" {
		t.Error("another block:", err)
	}
	if files, err := os.ReadDir(dir); len(files) != 1 {
		t.Error(files, err)
	}
}

func TestBlocksThatCannotBeWrittenSayWhatToDo(t *testing.T) {
	b, err := newBlocks([]string{filepath.Join(t.TempDir(), "gone")}, rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Put([]string{"a"}, [][]byte{[]byte("one")}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--work-dir") {
		t.Error(err)
	}
}

func TestFilesAreRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Files{}.Open(path)
	if err != nil || f.Size() != 3 {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := (Files{}).Open(dir); err == nil {
		t.Error("a folder was opened")
	}
	if _, err := (Files{}).Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestWhatAProcessIsToldIsTakenOutOfTheEnvironment(t *testing.T) {
	t.Setenv(SubmissionVar, `{"name":"a","conf":{"spark.master":"spark://h:1"}}`)
	var s Submission
	if ok, err := fromEnv(SubmissionVar, &s); !ok || err != nil || s.Name != "a" {
		t.Error(ok, err, s)
	}
	if ok, _ := fromEnv(SubmissionVar, &s); ok {
		t.Error("it is still there")
	}
	t.Setenv(SubmissionVar, "no JSON")
	if ok, err := fromEnv(SubmissionVar, &s); !ok || err == nil {
		t.Error(ok, err)
	}
}

func TestTheSettingsOfADriverNameItsProgram(t *testing.T) {
	c, masters, err := Submission{Name: "a", Conf: map[string]string{"spark.master": "spark://h:1,i:2"}}.settings()
	if err != nil || len(masters) != 2 || submit.AppName.Get(c) != "a" || len(known.AppBinary.Get(c)) != 64 {
		t.Error(masters, err)
	}
	if _, _, err := (Submission{Conf: map[string]string{"spark.master": "mesos://h:1"}}).settings(); !errors.Is(err, rpcenv.ErrInvalidURL) {
		t.Error(err)
	}
	if _, masters, err := (Submission{Conf: map[string]string{"spark.master": "local[2]"}}).settings(); err != nil || masters != nil {
		t.Error(masters, err)
	}
}

func TestLogLines(t *testing.T) {
	e := logrus.NewEntry(logrus.New()).WithFields(logrus.Fields{"endpoint": "Master", "app": 1, "worker": "w"})
	e.Time, e.Level, e.Message = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), logrus.WarnLevel, "Hello"
	got, err := logLines{}.Format(e)
	if err != nil || string(got) != "26/01/02 03:04:05 WARN Master: Hello app=1 worker=w\n" {
		t.Errorf("%q %v", got, err)
	}
}

// What others chose cannot begin a line of the log: neither an application's name nor a field.
func TestLogLinesStayLines(t *testing.T) {
	e := logrus.NewEntry(logrus.New()).WithFields(logrus.Fields{
		"endpoint": "Master", "app": "C:\\temp\\new\tx", "error": errors.New("no\nluck"), "stack": "main.f x.go:1\n\tmain.\x1bg\n",
	})
	e.Time, e.Level, e.Message = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), logrus.InfoLevel, "Registering app x\n26/01/02 INFO"
	got, err := logLines{}.Format(e)
	const want = `26/01/02 03:04:05 INFO Master: Registering app x\n26/01/02 INFO app=C:\temp\new\tx error=no\nluck` + "\n" +
		"    main.f x.go:1\n" + `        main.\x1bg` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
