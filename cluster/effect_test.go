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

// TestEachSettingIsReadOrMarked parses the source: an entry of rpcenv/conf that no code reads is marked with the capability that
// will read it, and no other is. An entry counts as read that another one which is read falls back to, or that a function of
// rpcenv/conf reads. Its key alone is not a reader, but for settings that are handed on and those that protect.
func TestEachSettingIsReadOrMarked(t *testing.T) {
	const root = ".."
	marked, falls, read := map[string]bool{}, map[string]string{}, map[string]bool{}
	keyOnly := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		own := filepath.Dir(path) == filepath.Join(root, "rpcenv", "conf")
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && own && g.Tok == token.VAR {
				declared(g, marked, read, falls)
				continue
			}
			uses(d, own, read, keyOnly)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
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

// declared notes the entries of a declaration: their marks and what they fall back to.
func declared(g *ast.GenDecl, marked, read map[string]bool, falls map[string]string) {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			continue
		}
		call, ok := v.Values[0].(*ast.CallExpr)
		if !ok {
			continue
		}
		name, mark := v.Names[0].Name, ""
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			mark = sel.Sel.Name
			if call, ok = sel.X.(*ast.CallExpr); !ok {
				continue
			}
		}
		fun, ok := call.Fun.(*ast.Ident)
		if !ok || fun.Name != "entry" && fun.Name != "optional" && fun.Name != "fallback" {
			continue
		}
		falls[name] = ""
		if to, ok := call.Args[2].(*ast.Ident); ok && fun.Name == "fallback" {
			falls[name] = to.Name
		}
		marked[name] = mark == "awaits"
		if mark == "protects" { // its refusal is its effect
			read[name] = true
		}
	}
}

// uses notes the entries that code uses, by value or by their key alone.
func uses(n ast.Node, own bool, read, keyOnly map[string]bool) {
	keys := map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "Key" {
			keys[sel.X] = true
		}
		var name string
		if id, isIdent := n.(*ast.Ident); isIdent && own {
			name = id.Name
		}
		if x, isIdent := operand(sel).(*ast.Ident); isIdent && x.Name == "conf" {
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
