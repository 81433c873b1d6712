package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// given checks a function that is given to package rdd: a literal, a variable that has one, what a function of the package returns, or a
// declared function.
func (j *jobs) given(arg ast.Expr) {
	switch e := ast.Unparen(arg).(type) {
	case *ast.FuncLit:
		j.writes(e, e.Body)
	case *ast.Ident:
		if v, ok := j.pass.TypesInfo.Uses[e].(*types.Var); ok {
			for _, lit := range j.literals[v] {
				j.writes(lit, lit.Body)
			}
			return
		}
		j.declaredWrites(j.callee(e))
	case *ast.CallExpr: // what a function makes may keep what changes from call to call
		f := j.callee(e.Fun)
		if f == nil || j.bodies[f] == nil {
			return
		}
		ast.Inspect(j.bodies[f], func(n ast.Node) bool {
			if ret, ok := n.(*ast.ReturnStmt); ok {
				for _, value := range ret.Results {
					if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
						j.writes(lit, lit.Body)
					}
				}
			}
			return true
		})
	default:
		j.declaredWrites(j.callee(e))
	}
}

// declaredWrites checks a declared function of the package, and those that it calls.
func (j *jobs) declaredWrites(f *types.Func) {
	if f != nil && j.bodies[f] != nil {
		j.writes(j.bodies[f], j.bodies[f])
	}
}

// writes reports what a function changes that is declared outside of it: a task changes it in its own process, several tasks at once, and
// a repeated attempt once more; the driver never sees it.
func (j *jobs) writes(function ast.Node, body *ast.BlockStmt) {
	if j.written[body] {
		return
	}
	j.written[body] = true
	report := func(e ast.Expr, how string) {
		v := j.variable(e)
		if v == nil || j.isWithin(v, function) {
			return
		}
		if j.reported[e.Pos()] {
			return
		}
		j.reported[e.Pos()] = true
		j.pass.Reportf(e.Pos(), "a function of a job %s %s, which is declared outside of it: tasks change it in their own processes, and the "+
			"result is wrong in silence; declare it within the function, or make it a result, as by rdd.Aggregate", how, v.Name())
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					report(e, "changes")
				}
			}
		case *ast.IncDecStmt:
			report(n.X, "changes")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				report(n.Key, "changes")
				report(n.Value, "changes")
			}
		case *ast.SendStmt:
			report(n.Chan, "sends to")
		case *ast.UnaryExpr:
			if v := j.variable(n.X); n.Op == token.AND && v != nil && !isPackageLevel(v) {
				report(n.X, "takes the address of")
			}
		case *ast.CallExpr:
			j.callWrites(n, report)
		}
		return true
	})
}

// callWrites reports calls that change what they are given, and looks into functions of the package.
func (j *jobs) callWrites(call *ast.CallExpr, report func(e ast.Expr, how string)) {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if _, builtin := j.pass.TypesInfo.Uses[id].(*types.Builtin); builtin {
			switch id.Name {
			case "delete", "clear", "copy":
				report(call.Args[0], "changes")
			}
			return
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		// A call x.M() of a method of *T takes the address of x in silence. A package variable of such a type, as a sync.Once, is its own
		// in each process on purpose.
		if of := j.pass.TypesInfo.Selections[sel]; of != nil && of.Kind() == types.MethodVal {
			_, wants := of.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
			_, has := of.Recv().(*types.Pointer)
			if v := j.variable(sel.X); wants && !has && v != nil && !isPackageLevel(v) {
				report(sel.X, "calls "+sel.Sel.Name+" of")
			}
		}
	}
	j.declaredWrites(j.callee(call.Fun))
}

// variable is the one that an expression is or is a part of; nil for others, and for what it points to by a call.
func (j *jobs) variable(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		v, _ := j.pass.TypesInfo.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		if v, ok := j.pass.TypesInfo.Uses[e.Sel].(*types.Var); ok && !v.IsField() { // pkg.Var
			return v
		}
		return j.variable(e.X)
	case *ast.IndexExpr:
		return j.variable(e.X)
	case *ast.StarExpr:
		return j.variable(e.X)
	case *ast.ParenExpr:
		return j.variable(e.X)
	case *ast.SliceExpr:
		return j.variable(e.X)
	}
	return nil
}

// isWithin reports whether a variable is declared in a function, its parameters and results included.
func (j *jobs) isWithin(v *types.Var, function ast.Node) bool {
	from := function.Pos()
	if body, ok := function.(*ast.BlockStmt); ok {
		from = j.begins[body]
	}
	return from <= v.Pos() && v.Pos() < function.End()
}

func isPackageLevel(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// noteLiterals notes which function literals a variable is given.
func (j *jobs) noteLiterals(n ast.Node) {
	note := func(name, value ast.Expr) {
		id, isIdent := name.(*ast.Ident)
		lit, isLit := ast.Unparen(value).(*ast.FuncLit)
		if !isIdent || !isLit {
			return
		}
		v, ok := j.pass.TypesInfo.ObjectOf(id).(*types.Var)
		if ok {
			j.literals[v] = append(j.literals[v], lit)
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i := range n.Lhs {
				note(n.Lhs[i], n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i := range n.Names {
				note(n.Names[i], n.Values[i])
			}
		}
	}
}
