package cluster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestEachSettingIsReadOrMarked parses the source: an entry that no code reads is marked with the capability that will read it,
// and no other is. An entry counts as read that another one which is read falls back to. Its key alone is not a reader, but for
// settings that are handed on and those that protect. The test knows an entry by its name, so no two have the same.
func TestEachSettingIsReadOrMarked(t *testing.T) {
	const root = ".."
	marked, falls, read := map[string]bool{}, map[string]string{}, map[string]bool{}
	keyOnly, home := map[string]bool{}, map[string]string{}
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, file := range files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, name := range declared(g, marked, read, falls) {
					if at, twice := home[name]; twice {
						t.Errorf("%s is declared in %s and in %s", name, at, path)
					}
					home[name] = filepath.Dir(path)
				}
			}
		}
	}
	for path, file := range files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.VAR || len(declared(g, map[string]bool{}, map[string]bool{}, map[string]string{})) == 0 {
				uses(d, filepath.Dir(path), home, read, keyOnly)
			}
		}
	}
	if len(falls) < 250 {
		t.Fatalf("%d entries found", len(falls))
	}
	for range falls { // as deep as fallbacks can be
		for name, to := range falls {
			if read[name] && to != "" {
				read[to] = true
			}
		}
	}
	for name := range falls {
		switch {
		case marked[name] && read[name]:
			t.Errorf("%s is marked as without effect and is read: remove the mark", name)
		case !marked[name] && !read[name] && !keyOnly[name]:
			t.Errorf("%s is read by nothing: mark it with the capability that will read it, or delete it", name)
		}
	}
}

// declared notes the entries of a declaration: their marks and what they fall back to. It returns their names.
func declared(g *ast.GenDecl, marked, read map[string]bool, falls map[string]string) (names []string) {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		call, ok := v.Values[0].(*ast.CallExpr)
		if !ok {
			continue
		}
		name, marks := v.Names[0].Name, map[string]bool{}
		sel, _ := call.Fun.(*ast.SelectorExpr)
		for sel != nil { // .Awaits, .Protects and .Where stand behind the call
			inner, ok := sel.X.(*ast.CallExpr)
			if !ok {
				break
			}
			marks[sel.Sel.Name] = true
			call = inner
			sel, _ = call.Fun.(*ast.SelectorExpr)
		}
		if sel == nil {
			continue
		}
		switch sel.Sel.Name {
		case "Declare", "Optional", "Fallback":
		default:
			continue
		}
		if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "conf" {
			continue
		}
		if name == "_" { // which nothing reads
			key, _ := call.Args[1].(*ast.BasicLit)
			name = key.Value
		}
		names = append(names, name)
		falls[name] = ""
		if sel.Sel.Name == "Fallback" {
			switch to := call.Args[3].(type) {
			case *ast.Ident:
				falls[name] = to.Name
			case *ast.SelectorExpr:
				falls[name] = to.Sel.Name
			}
		}
		marked[name] = marks["Awaits"]
		if marks["Protects"] { // its refusal is its effect
			read[name] = true
		}
	}
	return names
}

// uses notes the entries that code in dir uses, by value or by their key alone.
func uses(n ast.Node, dir string, home map[string]string, read, keyOnly map[string]bool) {
	keys := map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "Key" {
			keys[sel.X] = true
		}
		var name string
		if id, isIdent := n.(*ast.Ident); isIdent && home[id.Name] == dir {
			name = id.Name
		}
		if x, isIdent := operand(sel).(*ast.Ident); isIdent && home[sel.Sel.Name] != "" && x.Name == filepath.Base(home[sel.Sel.Name]) {
			name = sel.Sel.Name
		}
		e, isExpr := n.(ast.Expr)
		switch {
		case name == "":
		case isExpr && keys[e]:
			keyOnly[name] = true
		default:
			read[name] = true
		}
		return true
	})
}

// operand is what s selects from, or nil.
func operand(s *ast.SelectorExpr) ast.Expr {
	if s == nil {
		return nil
	}
	return s.X
}
