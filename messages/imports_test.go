package messages_test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/coherer/coherer"

// below tells which top-level folders the packages of a folder may import, besides their own. It is the project's one
// import direction: cmd, examples, bench → cluster → actors → rpcenv → messages.
var below = map[string][]string{
	"messages": {},
	"rpcenv":   {"messages"},
	"actors":   {"messages", "rpcenv"},
	"cluster":  {"messages", "rpcenv", "actors"},
	"examples": {"messages", "rpcenv", "actors", "cluster"},
	"bench":    {"messages", "rpcenv", "actors", "cluster", "examples"},
	"cmd":      {"messages", "rpcenv", "actors", "cluster", "examples", "bench"},
}

// aside are packages that stand by themselves within their folder: they import nothing else of it.
var aside = []string{"actors/rdd"}

// allowed reports whether a package may import another; both are paths below the module.
func allowed(from, to string) bool {
	top, toTop := topFolder(from), topFolder(to)
	for _, a := range aside {
		if within(from, a) && !within(to, a) && toTop == top {
			return false
		}
	}
	return top == toTop || slices.Contains(below[top], toTop)
}

func topFolder(dir string) string {
	top, _, _ := strings.Cut(dir, "/")
	return top
}

func within(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// All Go files of the module are read, tests and those of other systems included.
func TestImportsRunOneWay(t *testing.T) {
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(root, name)
		case path.Ext(name) == ".go":
			checkFile(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// skip leaves out what is no part of the module: folders that the go command ignores and nested modules.
func skip(root fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(dir, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
		return fs.SkipDir
	}
	return nil
}

func checkFile(t *testing.T, name string) {
	t.Helper()
	from := path.Dir(name)
	if _, ok := below[topFolder(from)]; !ok {
		t.Errorf("%s: packages lie below one of messages, rpcenv, actors, cluster, examples, bench, cmd", name)
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(name)), nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if to, ok := strings.CutPrefix(imported, module+"/"); ok && !allowed(from, to) {
			t.Errorf("%s imports %s: imports run cmd, examples, bench → cluster → actors → rpcenv → messages", name, to)
		}
	}
}

func TestDirection(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"messages/app", "messages/rpc", true},
		{"messages/app", "rpcenv", false},
		{"rpcenv", "messages/rpc", true},
		{"rpcenv/sim", "rpcenv/trace", true},
		{"rpcenv/rpctest", "actors/master", false},
		{"actors/master", "rpcenv/rpctest", true},
		{"actors/master", "cluster/scenario", false},
		{"actors/driver", "actors/rdd", true},
		{"actors/rdd", "actors/rdd/internal/lines", true},
		{"actors/rdd", "actors/executor", false},
		{"actors/rdd", "messages/app", true},
		{"cluster/node", "actors/worker", true},
		{"cluster/node", "cmd/coherer", false},
		{"cluster/local", "examples/hello", false},
		{"examples/hello", "cluster/local", true},
		{"examples/hello", "bench", false},
		{"bench", "cluster/local", true},
		{"cmd/coherer", "examples/wordcount/job", true},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("%s imports %s: allowed %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// A replace works in this tree alone: it would break `go install` from outside.
func TestNoReplace(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		if strings.HasPrefix(line, "replace") {
			t.Errorf("go.mod: %s", strings.TrimSpace(line))
		}
	}
}
