package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// walker finds the mutants of one file.
type walker struct {
	source  *source
	fset    *token.FileSet
	info    *types.Info
	fn      string          // the function it is in
	decides ast.Expr        // the condition of the last if
	bail    *ast.ReturnStmt // all that the last if does
}

// decl looks at one declaration. Constants cannot depend on a number, and no rule is about texts for people.
func (w *walker) decl(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Body == nil || d.Name.Name == "String" || d.Name.Name == "Error" {
			return
		}
		w.fn = funcName(d)
		w.walk(d.Body)
	case *ast.GenDecl:
		if d.Tok == token.VAR {
			w.fn = "var"
			w.walk(d)
		}
	}
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

func (w *walker) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if w.forPeople(n) {
				return false
			}
			w.call(n)
		case *ast.BlockStmt:
			w.statements(n.List)
		case *ast.CaseClause:
			w.statements(n.Body)
		case *ast.CommClause:
			w.statements(n.Body)
		case *ast.IfStmt:
			w.condition(n.Cond)
			w.bails(n)
		case *ast.ForStmt:
			if n.Cond != nil {
				w.loop(n.Body)
			}
		case *ast.RangeStmt:
			w.loop(n.Body)
		case *ast.BinaryExpr:
			w.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.SUB && w.constant(n) == nil && w.pure(n) {
				w.add("sign left out", n, "mutantPick(%d, ", ", "+w.again(n.X)+")")
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				w.result(r, n)
			}
		case *ast.CompositeLit:
			w.literal(n)
		case *ast.GenDecl:
			return n.Tok == token.VAR
		}
		return true
	})
}

// add notes a mutant: what is put before and after node n.
func (w *walker) add(kind string, n ast.Node, before, after string) *mutant {
	return w.addShown(kind, n, n, before, after)
}

// addShown is add for a node that is too small to identify the mutant: the key quotes another one.
func (w *walker) addShown(kind string, n, shown ast.Node, before, after string) *mutant {
	from, to := w.fset.Position(n.Pos()).Offset, w.fset.Position(n.End()).Offset
	text := strings.Join(strings.Fields(w.text(shown)), " ")
	if r := []rune(text); len(r) > 90 {
		text = string(r[:90]) + "…"
	}
	// The key has no line number: equivalent.txt must outlive changes elsewhere in the file.
	m := &mutant{
		path: w.source.path, line: w.fset.Position(n.Pos()).Line, from: from, to: to, before: before, after: after,
		key: fmt.Sprintf("%s: %s: %s: %s", w.source.path, w.fn, kind, text),
	}
	w.source.mutants = append(w.source.mutants, m)
	return m
}

func (w *walker) text(n ast.Node) string {
	return string(w.source.code[w.fset.Position(n.Pos()).Offset:w.fset.Position(n.End()).Offset])
}

// again is a piece of source on one line, so that lines keep their numbers.
func (w *walker) again(n ast.Node) string { return strings.Join(strings.Split(w.text(n), "\n"), " ") }

// wording are the calls that make texts for people: no rule is about their arguments.
var wording = regexp.MustCompile(`^(Trace|Debug|Info|Warn|Warning|Error|Fatal|Print|Panic|Sprint|Fprint)(f|ln)?$|^(Appendf|Appendln|Errorf|WithField|WithFields|WithError|Log|panic)$`)

// forPeople reports whether a call only makes a text, or logs one.
func (w *walker) forPeople(call *ast.CallExpr) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name == "panic"
	case *ast.SelectorExpr:
		if pkg, ok := fun.X.(*ast.Ident); ok && pkg.Name == "errors" {
			return fun.Sel.Name == "New"
		}
		return wording.MatchString(fun.Sel.Name)
	}
	return false
}

func (w *walker) constant(e ast.Expr) any {
	if v := w.info.Types[e].Value; v != nil {
		return v
	}
	return nil
}

// plainBool reports whether an expression is a bool that a call may stand for.
func (w *walker) plainBool(e ast.Expr) bool {
	t := w.info.Types[e].Type
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0 && w.constant(e) == nil
}

func (w *walker) numeric(e ast.Expr) bool {
	t := w.info.Types[e].Type
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// pure reports whether an expression may be evaluated twice.
func (w *walker) pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !w.pureCall(n) {
				ok = false
			}
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

func (w *walker) pureCall(call *ast.CallExpr) bool {
	if w.info.Types[call.Fun].IsType() {
		return true
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		switch fun.Name {
		case "len", "cap", "min", "max":
			return true
		}
	case *ast.SelectorExpr:
		return strings.HasPrefix(fun.Sel.Name, "Get") || fun.Sel.Name == "Compare"
	}
	return false
}
