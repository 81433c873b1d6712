package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// mapOrders are the places below root where the order in which a map gives its entries could be seen.
func mapOrders(pass *analysis.Pass, root ast.Node) []token.Pos {
	var out []token.Pos
	settled := map[ast.Expr]bool{} // calls of maps.Keys and its like that need no report of their own
	var sorted []ast.Expr          // what the function around sorts
	ast.PreorderStack(root, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			sorted = sortedIn(pass, n)
		case *ast.RangeStmt:
			if isMap(pass.TypesInfo.TypeOf(n.X)) || iterates(pass, n.X) {
				settled[n.X] = true
				l := loop{pass: pass, key: n.Key, sorted: sorted}
				if !l.isBlind(n.Body) {
					out = append(out, n.Pos())
				}
			}
		case *ast.CallExpr:
			switch name := callee(pass, n); {
			// Preorder: the outer call settles its arguments before the walk comes to them.
			case strings.HasPrefix(name, "slices.Sorted"), name == "maps.Collect", name == "maps.Insert":
				for _, arg := range n.Args {
					settled[arg] = true
				}
			case name == "slices.Collect" && assignedTo(stack, n, sorted):
				settled[n.Args[0]] = true
			case iterates(pass, n) && !settled[n]:
				out = append(out, n.Pos())
			}
		}
		return true
	})
	return out
}

// iterates reports whether e is a call that yields a map's entries in the map's order.
func iterates(pass *analysis.Pass, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, callee(pass, call))
}

// assignedTo reports whether call, below stack, is the one value of an assignment to one of targets.
func assignedTo(stack []ast.Node, call *ast.CallExpr, targets []ast.Expr) bool {
	a, ok := stack[len(stack)-1].(*ast.AssignStmt)
	return ok && len(a.Rhs) == 1 && a.Rhs[0] == call && isOneOf(a.Lhs[0], targets)
}

// sortedIn are the slices that f gives to a sort function.
func sortedIn(pass *analysis.Pass, f *ast.FuncDecl) []ast.Expr {
	var out []ast.Expr
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
			if name := callee(pass, call); strings.HasPrefix(name, "slices.Sort") || strings.HasPrefix(name, "sort.") {
				out = append(out, call.Args[0])
			}
		}
		return true
	})
	return out
}

// callee is the package.name of the called function, or the name of a builtin; "" for any other call.
func callee(pass *analysis.Pass, call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok { // f[T]
		fun = index.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		fun = sel.Sel
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		return ""
	}
	switch obj := pass.TypesInfo.Uses[id].(type) {
	case *types.Builtin:
		return obj.Name()
	case *types.Func:
		if obj.Pkg() != nil && obj.Signature().Recv() == nil {
			return obj.Pkg().Path() + "." + obj.Name()
		}
	}
	return ""
}

// isMap reports whether t, or any type that the type parameter t stands for, is a map.
func isMap(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		in := p.Underlying().(*types.Interface)
		for t := range in.EmbeddedTypes() {
			if u, ok := t.(*types.Union); ok && u.Len() > 0 && isMap(u.Term(0).Type()) {
				return true
			}
		}
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// isOneOf compares expressions by their text, which is exact enough within one function.
func isOneOf(e ast.Expr, list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(o ast.Expr) bool { return types.ExprString(o) == types.ExprString(e) })
}
