package spark

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/cluster/web/webtest"
)

// workDir makes a work directory with files, given as path, content, path, content.
func workDir(t *testing.T, files ...string) string {
	t.Helper()
	work := filepath.Join(t.TempDir(), "work")
	for i := 0; i+1 < len(files); i += 2 {
		path := filepath.Join(work, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return work
}

func TestALogIsReadInPieces(t *testing.T) {
	work := workDir(t, "app-1/0/stderr", "0123456789", "driver-1/stdout", strings.Repeat("x", (1<<20)+5))
	h := worker(t, workerRunning(), work)
	const log = "/log/?appId=app-1&executorId=0&logType=stderr"
	for _, c := range []struct{ query, head, text string }{
		{"", "0-10 of 10", "0123456789"},
		{"&byteLength=4", "6-10 of 10", "6789"},
		{"&offset=2&byteLength=3", "2-5 of 10", "234"},
		{"&offset=8&byteLength=100", "8-10 of 10", "89"},
		{"&offset=-5&byteLength=2", "0-2 of 10", "01"},
		{"&offset=99999999&byteLength=100", "10-10 of 10", ""},
		{"&byteLength=0", "10-10 of 10", ""},
	} {
		want := fmt.Sprintf("==== Bytes %s of %s/app-1/0/stderr ====\n%s", c.head, work, c.text)
		if code, got := webtest.Get(t, h, log+c.query); code != http.StatusOK || got != want {
			t.Errorf("%s: %d %q, want %q", c.query, code, got, want)
		}
	}
	if _, got := webtest.Get(t, h, "/log/?driverId=driver-1&logType=stdout&byteLength=99999999"); !strings.HasPrefix(got, fmt.Sprintf("==== Bytes 5-%d of ", (1<<20)+5)) {
		t.Errorf("%.100s", got)
	}
	_, page := webtest.Get(t, h, "/logPage/?appId=app-1&executorId=0&logType=stderr&offset=4&byteLength=3")
	webtest.Wants(t, page, "<title>stderr log page for app-1/0</title>", "Showing 3 Bytes: 4 - 7 of 10", "<pre>456</pre>",
		`<a href="?appId=app-1&amp;byteLength=3&amp;executorId=0&amp;logType=stderr&amp;offset=1">older</a>`,
		`<a href="?appId=app-1&amp;byteLength=3&amp;executorId=0&amp;logType=stderr&amp;offset=7">newer</a>`)
}

func TestALogThatRolledOverIsReadAsOne(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("first ")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	work := workDir(t,
		"app-1/0/stderr--2026-11-28--08-00-00.gz", packed.String(), "app-1/0/stderr--2026-11-28--09-00-00", "second ", "app-1/0/stderr--2026-11-28--09-00-00.gz", "half of an archive",
		"app-1/0/stderr", "third", "app-1/0/stderr_other", "no", "app-1/0/stdout", "no")
	h := worker(t, workerRunning(), work)
	for query, want := range map[string]string{
		"": "0-18 of 18 first second third", "&offset=2&byteLength=6": "2-8 of 18 rst se", "&offset=12&byteLength=3": "12-15 of 18  th",
	} {
		_, got := webtest.Get(t, h, "/log/?appId=app-1&executorId=0&logType=stderr"+query)
		got = strings.Replace(strings.TrimPrefix(got, "==== Bytes "), " of "+work+"/app-1/0/stderr ====\n", " ", 1)
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestLogsCannotLeaveTheWorkDirectory: whatever a request names, and whatever an executor made of its directory.
func TestLogsCannotLeaveTheWorkDirectory(t *testing.T) {
	work := workDir(t, "app-1/0/stdout", "mine", "app-2/0/stdout", "of another application", "../secret/stdout", "secret", "stdout", "of the root")
	outside := filepath.Join(filepath.Dir(work), "secret")
	mustLink := func(target, path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(work, path)); err != nil {
			t.Fatal(err)
		}
	}
	mustLink(outside, "app-link")
	mustLink(outside, "app-3/0")
	mustLink(filepath.Join(outside, "stdout"), "app-4/0/stdout")
	mustLink("../../app-2/0/stdout", "app-5/0/stdout")
	mustLink("../app-2/0", "app-6/0")
	mustLink(filepath.Join(outside, "stdout"), "app-7/0/stdout--2026")
	if err := os.MkdirAll(filepath.Join(work, "app-8/0/stdout"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(work, "app-9/0"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(work, "app-9/0/stdout"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := worker(t, workerRunning(), work)
	for _, q := range []string{
		"appId=..&executorId=secret", "appId=../secret&executorId=.", "appId=app-1/../../secret&executorId=0", "appId=app-1&executorId=..",
		"appId=app-1&executorId=../../secret", "appId=.&executorId=.", "appId=app-1&executorId=0/", "appId=/etc&executorId=passwd",
		"driverId=..", "driverId=../secret", "driverId=.", "driverId=app-link", "appId=app-link&executorId=0", "appId=app-3&executorId=0",
		"appId=app-4&executorId=0", "appId=app-5&executorId=0", "appId=app-6&executorId=0", "appId=app-7&executorId=0",
		"appId=app-8&executorId=0", "appId=app-9&executorId=0", "appId=%00&executorId=0", "appId=app-1%00&executorId=0", `appId=app-1\..&executorId=0`,
		"appId=" + strings.Repeat("a", 300) + "&executorId=0", "appId=nosuch&executorId=0", "appId=..%2Fsecret&executorId=0",
		"appId=app-1&executorId=0&driverId=driver-1", "appId=app-1", "executorId=0", "",
	} {
		for _, path := range []string{"/log/?", "/logPage/?"} {
			code, text := webtest.Get(t, h, path+q+"&logType=stdout")
			if code != http.StatusNotFound && code != http.StatusBadRequest || strings.Contains(text, "secret\n") || strings.Contains(text, "another") {
				t.Errorf("%s%s: %d %s", path, q, code, text)
			}
		}
	}
	for _, kind := range []string{"", "driver", "../stdout", "stdout/../stdout", "/etc/passwd", "stdout--2026"} {
		if code, text := webtest.Get(t, h, "/log/?appId=app-1&executorId=0&logType="+url.QueryEscape(kind)); code != http.StatusBadRequest {
			t.Errorf("logType %q: %d %s", kind, code, text)
		}
	}
	for _, q := range []string{"offset=a", "byteLength=-1", "byteLength=a", "offset=99999999999999999999"} {
		if code, text := webtest.Get(t, h, "/log/?appId=app-1&executorId=0&logType=stdout&"+q); code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", q, code, text)
		}
	}
	if _, text := webtest.Get(t, h, "/log/?appId=app-1&executorId=0&logType=stdout"); !strings.HasSuffix(text, "\nmine") {
		t.Error(text)
	}
}

func TestALogIsEscaped(t *testing.T) {
	h := worker(t, workerRunning(), workDir(t, "driver-1/stdout", "</pre><script>alert(1)</script>"))
	_, page := webtest.Get(t, h, "/logPage/?driverId=driver-1&logType=stdout")
	if strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;") {
		t.Error(page)
	}
}

// TestABrokenArchiveIsAnError: an executor may write anything.
func TestABrokenArchiveIsAnError(t *testing.T) {
	h := worker(t, workerRunning(), workDir(t, "driver-1/stdout--1.gz", "no archive", "driver-1/stdout", "x"))
	if code, text := webtest.Get(t, h, "/log/?driverId=driver-1&logType=stdout"); code != http.StatusInternalServerError || !strings.HasPrefix(text, "the log cannot be read: stdout--1.gz") {
		t.Errorf("%d %s", code, text)
	}
}
