package eventlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/eventlog"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// writer is that of a log in a directory.
func writer(t *testing.T, dir string, pairs ...string) *eventlog.Writer {
	t.Helper()
	w, err := newWriter(t, dir, pairs...)
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	return w
}

func newWriter(t *testing.T, dir string, pairs ...string) (*eventlog.Writer, error) {
	t.Helper()
	values := map[string]string{"spark.eventLog.enabled": "true", "spark.eventLog.dir": dir}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	c, err := conf.New(values, eventlog.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return eventlog.New(c)
}

// files are those below dir, with what they have once it is read as plain text.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(path, ".zstd") {
			r, err := zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1))
			if err != nil {
				return err
			}
			defer r.Close()
			// A file whose application runs has no end yet: all its lines are there.
			if text, err = io.ReadAll(r); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				return err
			}
		}
		name, err := filepath.Rel(dir, path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func check(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if got := files(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A log that does not roll is one file. Its lines are there while the application runs.
func TestASingleFile(t *testing.T) {
	for _, k := range []struct{ compress, suffix string }{{"true", ".zstd"}, {"false", ""}} {
		dir := t.TempDir()
		w := writer(t, "file://"+dir, "spark.eventLog.rolling.enabled", "false", "spark.eventLog.compress", k.compress)
		do(t, w.Start("app:1 X.y"))
		do(t, w.Write([][]byte{[]byte("a\n"), []byte("b\n")}))
		check(t, dir, map[string]string{"app-1-x_y" + k.suffix + ".inprogress": "a\nb\n"})
		do(t, w.Write([][]byte{[]byte("c\n")}))
		do(t, w.End())
		check(t, dir, map[string]string{"app-1-x_y" + k.suffix: "a\nb\nc\n"})
		if info, err := os.Stat(filepath.Join(dir, "app-1-x_y"+k.suffix)); err != nil || info.Mode() != 0o660 {
			t.Error(info.Mode(), err)
		}
	}
}

// The files of a rolling log end with whole lines, before they would be too large.
func TestARollingLog(t *testing.T) {
	dir := t.TempDir()
	w := writer(t, dir, "spark.eventLog.rolling.maxFileSize", "2m", "spark.eventLog.compress", "false")
	do(t, w.Start("app-1"))
	const status = "eventlog_v2_app-1/appstatus_app-1"
	check(t, dir, map[string]string{status + ".inprogress": "", "eventlog_v2_app-1/events_1_app-1": ""})
	line := func(n int) []byte { return append(bytes.Repeat([]byte("x"), n-1), '\n') }
	lines := [][]byte{line(1 << 20), line(1 << 20), line(1), line(2<<20 - 1), line(5 << 20), line(1)}
	do(t, w.Write(lines[:3]))
	do(t, w.Write(lines[3:]))
	do(t, w.End())
	got := files(t, dir)
	var sizes []int
	for i := 1; i <= len(got)-1; i++ {
		text := got[fmt.Sprintf("eventlog_v2_app-1/events_%d_app-1", i)]
		sizes = append(sizes, len(text))
		if !strings.HasSuffix(text, "\n") {
			t.Errorf("file %d ends within a line", i)
		}
	}
	if want := []int{2 << 20, 2 << 20, 5 << 20, 1}; !slices.Equal(sizes, want) {
		t.Errorf("sizes %d, want %d", sizes, want)
	}
	for _, name := range []string{status, "eventlog_v2_app-1", "eventlog_v2_app-1/events_1_app-1"} {
		want := os.FileMode(0o660)
		if name == "eventlog_v2_app-1" {
			want = 0o770
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if text, ok := got[status]; !ok || text != "" {
		t.Errorf("no %s: %d files", status, len(got))
	}
}

// Logs that are there are replaced only if that is wanted. A rolling log then is not begun; a file keeps the name of one in progress.
func TestALogThatIsThereAlready(t *testing.T) {
	for _, rolling := range []string{"true", "false"} {
		dir := t.TempDir()
		run := func(overwrite, text string) error {
			w := writer(t, dir, "spark.eventLog.rolling.enabled", rolling, "spark.eventLog.overwrite", overwrite, "spark.eventLog.compress", "false")
			if err := w.Start("a"); err != nil {
				return err
			}
			do(t, w.Write([][]byte{[]byte(text + "\n")}))
			return w.End()
		}
		do(t, run("false", "old"))
		if err := run("false", "new"); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Error(err)
		}
		do(t, run("true", "newer"))
		for name, text := range files(t, dir) {
			if strings.Contains(text, "old") || strings.HasSuffix(name, ".inprogress") {
				t.Errorf("%s has %q", name, text)
			}
		}
	}
}

func TestWhereALogCannotBe(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "file")
	do(t, os.WriteFile(plain, nil, 0o600))
	for dir, want := range map[string]string{
		"/no/such": "does not exist: make it, or set spark.eventLog.dir",
		plain:      "is no directory", "hdfs://nn/logs": "is not on this machine",
	} {
		if w, err := newWriter(t, dir); err == nil || !strings.Contains(err.Error(), want) || w != nil {
			t.Errorf("%s: %v, %v, want %s", dir, w, err, want)
		}
	}
	c, err := conf.New(nil, eventlog.Settings)
	do(t, err)
	if w, err := eventlog.New(c); w != nil || err != nil {
		t.Errorf("a log that is not wanted: %v, %v", w, err)
	}
	if _, err := conf.New(map[string]string{"spark.eventLog.rolling.maxFileSize": "2047k"}, eventlog.Settings); err == nil {
		t.Error("files of less than 2 MiB are accepted")
	}
}
