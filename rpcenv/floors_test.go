package rpcenv_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// uses are the edges between the files of this package, each "FROM -> TO" with a name that FROM uses and TO declares.
func uses(t *testing.T) map[string]string {
	t.Helper()
	all, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// What other packages declare is not asked for: imports are empty, and what follows from that is no error here.
	empty := importerFunc(func(path string) (*types.Package, error) {
		p := types.NewPackage(path, filepath.Base(path))
		p.MarkComplete()
		return p, nil
	})
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	cfg := types.Config{Importer: empty, Error: func(error) {}}
	pkg, _ := cfg.Check("rpcenv", fset, files, &info)
	edges := map[string]string{}
	for id, o := range info.Uses {
		v, isVar := o.(*types.Var)
		if o.Pkg() != pkg || isVar && !v.IsField() && v.Parent() != pkg.Scope() {
			continue
		}
		if from, to := floor(fset, id.Pos()), floor(fset, o.Pos()); from != to {
			edges[from+" -> "+to] = o.Name()
		}
	}
	return edges
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

func floor(fset *token.FileSet, at token.Pos) string {
	return strings.TrimSuffix(fset.Position(at).Filename, ".go")
}

// A file knows those before it in the floors of doc.go, and of those behind it what doc.go says.
func TestEachFileKnowsTheFloorsBelowIt(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n// # Floors\n")
	text, _, _ = strings.Cut(text, "\n// # ")
	var floors []string
	argued := map[string]bool{}
	for line := range strings.Lines(text) {
		line, listed := strings.CutPrefix(line, "//\t")
		from, to, exception := strings.Cut(line, " -> ")
		switch {
		case exception:
			to, _, _ := strings.Cut(to, ":") // then why
			for f := range strings.FieldsSeq(to) {
				argued[strings.TrimSpace(from)+" -> "+f] = false
			}
		case listed:
			names, _, _ := strings.Cut(line, "  ") // then what they are
			floors = append(floors, strings.Fields(names)...)
		}
	}
	edges := uses(t)
	if len(edges) < 300 {
		t.Fatal(len(edges), "edges")
	}
	for e, name := range edges {
		from, to, _ := strings.Cut(e, " -> ")
		i, j := slices.Index(floors, from), slices.Index(floors, to)
		_, known := argued[e]
		switch {
		case i < 0 || j < 0:
			t.Errorf("%s: doc.go names no such floor", e)
		case j > i && !known:
			t.Errorf("%s is up: %s", e, name)
		case j > i:
			argued[e] = true
		}
	}
	for e, used := range argued {
		if !used {
			t.Error("no longer:", e)
		}
	}
}
