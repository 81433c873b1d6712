package bulk

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// write makes a file below dir and returns its path.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// fileServer is a FileServer with a listener of its own.
func fileServer(t testing.TB) *FileServer {
	t.Helper()
	ln, at, err := wire.Listen(t.Context(), rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	s := NewFileServer(at)
	var running sync.WaitGroup
	var a *wire.Acceptor
	a = wire.NewAcceptor(ln, func(conn net.Conn) {
		running.Go(func() {
			ServeFiles(conn, wire.NewReader(conn), time.Minute, s.Open)
			_ = conn.Close()
			a.Drop(conn)
		})
	})
	running.Go(a.Run)
	t.Cleanup(func() {
		_ = a.Close()
		running.Wait()
	})
	return s
}

// must gives the URI of what was added.
func must(t testing.TB) func(uri string, err error) string {
	return func(uri string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return uri
	}
}

// download fetches a URI into memory.
func download(t testing.TB, c *Client, uri string) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := c.FetchFile(t.Context(), uri, &b)
	return b.String(), err
}

func TestAFileServerServesFilesJarsAndDirectories(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	file, other := write(t, dir, "a.txt", "a file"), write(t, dir, "b.jar", "a jar")
	write(t, dir, "classes/top", "of a directory")
	write(t, dir, "classes/org/x.class", "below it")
	write(t, dir, "deep/x", "longest")
	classes := filepath.Join(dir, "classes")
	c := newClient(t, Options{})
	for _, x := range []struct{ uri, path, more, want string }{
		{must(t)(s.AddFile("", file)), "/files/a.txt", "", "a file"},
		{must(t)(s.AddFile("other name", file)), "/files/other%20name", "", "a file"},
		{must(t)(s.AddJar("", other)), "/jars/b.jar", "", "a jar"},
		{must(t)(s.AddJar("a.txt", other)), "/jars/a.txt", "", "a jar"}, // not the file of that name
		{must(t)(s.AddDirectory("classes", classes)), "/classes", "/top", "of a directory"},
		{must(t)(s.AddDirectory("classes", classes)), "/classes", "/org/x.class", "below it"},
		{must(t)(s.AddDirectory("/a/b", classes)), "/a/b", "/top", "of a directory"},
		{must(t)(s.AddDirectory("/a/b/c d", filepath.Join(dir, "deep"))), "/a/b/c%20d", "/x", "longest"},
		{must(t)(s.AddFile("empty", write(t, dir, "empty", ""))), "/files/empty", "", ""},
	} {
		if x.uri != s.at.SparkURL()+x.path {
			t.Errorf("the URI is %s, want that of %s", x.uri, x.path)
		}
		if got, err := download(t, c, x.uri+x.more); err != nil || got != x.want {
			t.Errorf("%s%s: %q, %v", x.uri, x.more, got, err)
		}
	}
}

func TestNamesOfFilesAreEncoded(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	c := newClient(t, Options{})
	for _, name := range []string{"a b", "100%", "a%20b", "a?b#c", "ä€漢", "+&=;,:@!$'()*", "-rf", "..a", "...", " ", "a\nb", "a\\b", "\xff\xfe"} {
		uri := must(t)(s.AddFile("", write(t, dir, name, "content of "+name)))
		if strings.ContainsAny(uri, " ?#\n") {
			t.Errorf("%q is not encoded: %s", name, uri)
		}
		if got, err := download(t, c, uri); err != nil || got != "content of "+name {
			t.Errorf("%s: %q, %v", uri, got, err)
		}
	}
}

func TestANameOfAFileIsTakenOnce(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	one, two := write(t, dir, "one/x", "one"), write(t, dir, "two/x", "two")
	for name, add := range map[string]func(path string) (string, error){
		"file":      func(path string) (string, error) { return s.AddFile("", path) },
		"jar":       func(path string) (string, error) { return s.AddJar("", path) },
		"directory": func(path string) (string, error) { return s.AddDirectory("/d", filepath.Dir(path)) },
	} {
		first := must(t)(add(one))
		if again := must(t)(add(one)); again != first {
			t.Errorf("%s: the same again is %s, was %s", name, again, first)
		}
		_, err := add(two)
		if !errors.Is(err, ErrNameServed) || !strings.Contains(err.Error(), "already registered with a different path") || !strings.Contains(err.Error(), "two") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := download(t, newClient(t, Options{}), s.at.SparkURL()+"/files/x"); err != nil || got != "one" {
		t.Errorf("the first one remains: %q, %v", got, err)
	}
}

func TestBaseURIsAreNormalised(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	for base, want := range map[string]string{
		"d": "/d", "/d": "/d", "d/": "/d", "/d/": "/d", "/x/y/": "/x/y", "/filesystem": "/filesystem",
		"": "", "/": "", "//": "", "/a//b": "", "/../d": "", "/d/..": "", "/d/./e": "", "/d\x00": "",
		"/files": "", "files": "", "/files/": "", "/jars": "", "jars/": "", "/files/d": "", "jars/d": "",
	} {
		uri, err := s.AddDirectory(base, dir)
		switch {
		case want != "" && (err != nil || uri != s.at.SparkURL()+want):
			t.Errorf("%q: %s, %v", base, uri, err)
		case want == "" && err == nil:
			t.Errorf("%q is taken as %s", base, uri)
		case strings.Trim(base, "/") == "files" && !strings.Contains(err.Error(), "Directory URI cannot be /files"):
			t.Error(err)
		}
	}
}

func TestWhatCannotBeServed(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	file, pipe := write(t, dir, "f", ""), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, add := range map[string]func() (string, error){
		"a file that is missing":       func() (string, error) { return s.AddFile("", filepath.Join(dir, "missing")) },
		"a directory as a file":        func() (string, error) { return s.AddFile("", dir) },
		"a pipe":                       func() (string, error) { return s.AddJar("", pipe) },
		"a name that is a path":        func() (string, error) { return s.AddFile("a/b", file) },
		"a name that leads nowhere":    func() (string, error) { return s.AddFile(".", file) },
		"a name that leads up":         func() (string, error) { return s.AddFile("..", file) },
		"a name with a zero":           func() (string, error) { return s.AddFile("a\x00", file) },
		"a directory that is missing":  func() (string, error) { return s.AddDirectory("d", filepath.Join(dir, "missing")) },
		"a directory that is a file":   func() (string, error) { return s.AddDirectory("d", file) },
		"the root as the name of file": func() (string, error) { return s.AddFile("", "/") },
	} {
		if uri, err := add(); err == nil || !strings.HasPrefix(err.Error(), "serve ") {
			t.Errorf("%s: %s, %v", name, uri, err)
		}
	}
	if got := s.files; len(got) != 0 {
		t.Error("served all the same:", got)
	}
}

// secrets is a server with one directory that has a way out, and what lies outside of it.
func secrets(t testing.TB) *FileServer {
	dir := t.TempDir()
	write(t, dir, "secret", "secret")
	write(t, dir, "d/open", "open")
	write(t, dir, "d/sub/open", "open")
	for from, to := range map[string]string{
		"d/out": "..", "d/passwd": "/etc/passwd", "d/secret": "../secret", "d/inside": "open", "d/loop": "loop", "d/sub/up": "../open",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "d", "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := fileServer(t)
	must(t)(s.AddDirectory("d", filepath.Join(dir, "d")))
	must(t)(s.AddFile("f", write(t, dir, "f", "open")))
	return s
}

func TestNothingOutsideADirectoryIsServed(t *testing.T) {
	s := secrets(t)
	c := newClient(t, Options{})
	for path, want := range map[string]string{
		"/d/open": "", "/d/sub/open": "", "/d/inside": "", "/d/sub/up": "", "/files/f": "", "files/f": "", "/d/sub/../open": "",
		"/d/secret": "escapes", "/d/passwd": "escapes", "/d/out/secret": "escapes", "/d/../secret": "escapes",
		"/d/sub/../../secret": "escapes", "/d/../../../../etc/passwd": "escapes", "/d//etc/passwd": "escapes",
		"/d/%2e%2e/secret": "no such file", "/d/..\\secret": "no such file", "/d/loop": "", "/d/pipe": "not a regular file",
		"/d/sub": "not a regular file", "/d/": "", "/d": "Invalid stream URI: d not found.", "/": "Invalid stream URI:  not found.", "": "Invalid stream URI:",
		"/secret": "Invalid stream URI: secret not found.", "/../secret": "Invalid stream URI: .. not found.", "//files/f": "Invalid stream URI:",
		"/files/../d/open": "does not exist", "/files/": "", "/files": "was not found", "/files/F": "was not found", "/files/f/": "was not found", "/jars/f": "Stream '/jars/f' was not found",
		"/d/open\x00": "", "/d/" + strings.Repeat("../", 1000): "escapes", "/d/" + strings.Repeat("x/", 1<<20): "allowed are 4096",
		"/proc/self/environ": "Invalid stream URI: proc not found.", "spark://h:1/files/f": "Invalid stream URI: spark: not found.",
	} {
		var got bytes.Buffer
		err := c.fetchPath(t.Context(), s.at, path, &got)
		if err == nil && got.String() == "open" && want == "" {
			continue
		}
		if !errors.Is(err, ErrNotServed) || got.Len() > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %q, %.200v, want %q", path, got.String(), err, want)
		}
		if err != nil && strings.Contains(err.Error(), os.TempDir()) {
			t.Errorf("%.60q: the error says where things are: %v", path, err)
		}
	}
}

func FuzzFileServer(f *testing.F) {
	s := secrets(f)
	for _, path := range []string{"/d/open", "/d/../secret", "/d/out/secret", "/files/f", "//", "/d/sub/up", "/d/pipe", "/d/loop/x"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r, size, err := s.Open(path)
		if err != nil {
			return
		}
		defer func() { _ = r.Close() }()
		if got, err := io.ReadAll(r); err != nil || string(got) != "open" || size != 4 {
			t.Fatalf("%q gives %q, %v", path, got, err)
		}
	})
}

func TestAFileServerHasNoChunks(t *testing.T) {
	s := secrets(t)
	conn, err := net.Dial("tcp", s.at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	says := appendStream(nil, wire.StreamRequest, "/files/f", nil)
	says = appendChunkRequest(says, 1, 0)
	says = appendRPC(says, wire.RPCRequest, 7, encodeOpenBlocks(Owner{}, []string{"a"}))
	if _, err := conn.Write(says); err != nil {
		t.Fatal(err)
	}
	frames := wire.NewReader(conn)
	if _, err := frames.Next(anyFrame); err != nil {
		t.Fatal(err)
	}
	frames.Settle()
	if body, err := io.ReadAll(io.LimitReader(frames, 4)); err != nil || string(body) != "open" {
		t.Fatalf("%q, %v", body, err)
	}
	for _, want := range []struct {
		typ  byte
		says string
	}{{wire.ChunkFetchFailure, "no chunks are served here"}, {wire.RPCFailure, "no blocks are served here"}} {
		frame, err := frames.Next(anyFrame)
		if err != nil || frame[0] != want.typ || !bytes.Contains(frame, []byte(want.says)) {
			t.Errorf("%q, %v, want %s", frame, err, want.says)
		}
	}
}
