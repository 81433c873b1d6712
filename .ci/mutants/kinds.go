package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// condition makes the condition of an if hold always, and never. It leaves out that err != nil always holds: each test notices that.
func (w *walker) condition(cond ast.Expr) {
	if !w.plainBool(cond) {
		return
	}
	w.decides = cond
	if w.text(cond) != "err != nil" {
		w.add("condition always holds", cond, "(mutant(%d) || (", "))")
	}
	w.add("condition never holds", cond, "(!mutant(%d) && (", "))")
}

// loop leaves out all rounds of a loop.
func (w *walker) loop(body *ast.BlockStmt) {
	m := w.add("loop left out", body, "", "")
	m.from++ // behind the brace: the range expression is still evaluated, and its variables count as used
	m.to = m.from
	m.before = " if mutant(%d) { break }; "
}

func (w *walker) binary(e *ast.BinaryExpr) {
	x, y := w.again(e.X), w.again(e.Y)
	switch e.Op {
	case token.LAND, token.LOR:
		for _, operand := range []ast.Expr{e.X, e.Y} {
			w.clause(e.Op, operand)
		}
	case token.LSS, token.GTR:
		if w.plainBool(e) {
			w.add("boundary moved", e, "(", " || mutant(%d) && "+x+" == "+y+")")
		}
	case token.LEQ, token.GEQ:
		if w.plainBool(e) {
			w.add("boundary moved", e, "(", " && !(mutant(%d) && "+x+" == "+y+"))")
		}
	case token.EQL, token.NEQ:
		// The condition of an if has its mutants already: always and never.
		if e != w.decides && w.plainBool(e) {
			w.add("comparison turned", e, "(mutant(%d) != (", "))")
		}
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if w.numeric(e) && w.constant(e) == nil && w.pure(e) {
			other := map[token.Token]string{token.ADD: " - ", token.SUB: " + ", token.MUL: " + ", token.QUO: " * "}[e.Op]
			w.add("other arithmetic", e, "mutantPick(%d, ", ", "+x+other+y+")")
		}
	}
}

// clause leaves one side of a && or || out. A side with the same operator has mutants of its own sides.
func (w *walker) clause(op token.Token, e ast.Expr) {
	if inner, ok := e.(*ast.BinaryExpr); ok && inner.Op == op || !w.plainBool(e) {
		return
	}
	if op == token.LAND {
		w.add("clause left out", e, "(mutant(%d) || (", "))")
	} else {
		w.add("clause left out", e, "(!mutant(%d) && (", "))")
	}
}

// statements leaves single statements out.
func (w *walker) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && !w.forPeople(call) && !locks(call) {
				w.add("statement left out", s, "if !mutant(%d) { ", " }")
			}
		case *ast.AssignStmt:
			// Without a := the names behind it would not compile; an assignment to _ changes nothing.
			if s.Tok != token.DEFINE && !blank(s) {
				w.add("statement left out", s, "if !mutant(%d) { ", " }")
			}
		case *ast.IncDecStmt:
			w.add("statement left out", s, "if !mutant(%d) { ", " }")
		}
	}
}

// locks reports whether a call locks or unlocks. A lock that is never released stops a test by its time-out: that takes long and shows
// nothing.
func locks(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch sel.Sel.Name {
	case "Lock", "Unlock", "RLock", "RUnlock":
		return true
	}
	return false
}

func blank(s *ast.AssignStmt) bool {
	name, ok := s.Lhs[0].(*ast.Ident)
	return ok && len(s.Lhs) == 1 && name.Name == "_"
}

// bails notes the return that is the whole body of an if: without its error it is the mutant whose condition never holds.
func (w *walker) bails(s *ast.IfStmt) {
	if len(s.Body.List) == 1 {
		w.bail, _ = s.Body.List[0].(*ast.ReturnStmt)
	}
}

// result changes what a function returns.
func (w *walker) result(e ast.Expr, in *ast.ReturnStmt) {
	t := w.info.Types[e]
	switch {
	case t.Type == nil || t.IsNil():
	case in == w.bail && types.Identical(t.Type, types.Universe.Lookup("error").Type()):
	case w.text(e) == "true" && types.Identical(t.Type, types.Typ[types.Bool]):
		w.add("answer turned", e, "!mutant(%d)", "").drop = true
	case w.text(e) == "false" && types.Identical(t.Type, types.Typ[types.Bool]):
		w.add("answer turned", e, "mutant(%d)", "").drop = true
	case w.plainBool(e):
		// binary has turned == and != already.
		if b, ok := e.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ {
			w.add("answer turned", e, "(mutant(%d) != (", "))")
		}
	case types.Identical(t.Type, types.Universe.Lookup("error").Type()):
		w.add("error swallowed", e, "mutantZero(%d, ", ")")
	case w.numeric(e) && w.value(e):
		w.add("result one more", e, "mutantNext(%d, ", ")")
	}
}

// literal leaves fields out of a struct.
func (w *walker) literal(lit *ast.CompositeLit) {
	for _, e := range lit.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		if _, isStruct := w.info.Types[lit].Type.Underlying().(*types.Struct); !isStruct {
			if p, ok := w.info.Types[lit].Type.Underlying().(*types.Pointer); !ok || p == nil {
				return
			}
		}
		if w.value(field.Value) {
			w.addShown("field left out", field.Value, field, "mutantZero(%d, ", ")")
		}
	}
}

// value reports whether a generic function can take and return an expression as it is.
func (w *walker) value(e ast.Expr) bool {
	t := w.info.Types[e]
	if t.Type == nil || t.IsNil() || !t.IsValue() {
		return false
	}
	switch e.(type) {
	case *ast.FuncLit, *ast.CompositeLit:
		return false
	}
	if t.Value == nil {
		_, tuple := t.Type.(*types.Tuple)
		return !tuple
	}
	// A constant takes its default type in the call; another one it would lose.
	switch t.Type {
	case types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Bool]:
		return w.text(e) != `""` && w.text(e) != "0" && w.text(e) != "false"
	case types.Typ[types.Float64]:
		return strings.Contains(w.text(e), ".") // -1 would be an int
	}
	return false
}

// call turns the order of comparisons, and swaps min and max.
func (w *walker) call(call *ast.CallExpr) {
	if len(call.Args) != 2 || !w.pure(call) || w.constant(call) != nil {
		return
	}
	a, b := w.again(call.Args[0]), w.again(call.Args[1])
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if other := map[string]string{"min": "max", "max": "min"}[fun.Name]; other != "" {
			w.add(other+" for "+fun.Name, call, "mutantPick(%d, ", ", "+other+"("+a+", "+b+"))")
		}
	case *ast.SelectorExpr:
		if fun.Sel.Name == "Compare" {
			w.add("order turned", call, "mutantPick(%d, ", ", "+w.again(fun)+"("+b+", "+a+"))")
		}
	}
}
