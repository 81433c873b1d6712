package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// loop judges whether the body of a range over a map is blind to the order. It assumes that a function called for its value changes
// nothing.
type loop struct {
	pass    *analysis.Pass
	key     ast.Expr   // the loop's key variable
	sorted  []ast.Expr // slices that the function sorts
	sums    []ast.Expr // what grows from round to round
	reads   []ast.Expr // what is read
	effects bool       // the body changes something
	returns string     // the constants that it returns
}

// isBlind reports whether body has the same effect in every order. A sum that is read before the loop's end differs from order to
// order, and so do the changes made before a return.
func (l *loop) isBlind(body *ast.BlockStmt) bool {
	return l.blind(body.List) && !slices.ContainsFunc(l.reads, l.sees) && !(l.effects && l.returns != "")
}

// sees reports whether e reads a sum or uses the Context.
func (l *loop) sees(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found {
			t := l.pass.TypesInfo.TypeOf(e)
			found = isOneOf(e, l.sums) || t != nil && isContext(named(t))
		}
		return !found
	})
	return found
}

// blind reports whether the statements have the same effect in every order, provided that nothing in reads changes.
func (l *loop) blind(list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool { return !l.blindStmt(s) })
}

func (l *loop) blindStmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.BlockStmt:
		return l.blind(s.List)
	case *ast.IfStmt:
		l.reads = append(l.reads, s.Cond)
		return (s.Init == nil || l.isDefinition(s.Init)) && l.blind(s.Body.List) && l.blindStmt(s.Else)
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil // a break lets the order choose which entries count
	case *ast.ReturnStmt:
		return l.blindReturn(s)
	case *ast.IncDecStmt:
		return l.isSum(s.X)
	case *ast.ExprStmt:
		// Any other call may send, log or change what the next round reads.
		l.effects = true
		call, ok := s.X.(*ast.CallExpr)
		return ok && callee(l.pass, call) == "delete"
	case *ast.AssignStmt:
		return l.isDefinition(s) || len(s.Lhs) == 1 && l.blindAssign(s.Tok, s.Lhs[0], s.Rhs[0])
	}
	return false
}

// isDefinition reports whether s only names values for the statements after it.
func (l *loop) isDefinition(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return false
	}
	l.reads = append(l.reads, a.Rhs...)
	return true
}

func (l *loop) blindAssign(tok token.Token, to, value ast.Expr) bool {
	switch tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		l.reads = append(l.reads, value)
		return l.isSum(to)
	case token.ASSIGN:
		if index, ok := to.(*ast.IndexExpr); ok && l.key != nil && isMap(l.pass.TypesInfo.TypeOf(index.X)) {
			l.effects = true
			l.reads = append(l.reads, value)
			return isOneOf(index.Index, []ast.Expr{l.key}) // each key comes once
		}
		call, ok := value.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 || !isOneOf(to, call.Args[:1]) {
			return false
		}
		l.reads = append(l.reads, call.Args[1:]...)
		switch callee(l.pass, call) {
		case "append":
			l.effects = true
			// The order is lost again when the function sorts the slice; until then the slice counts as a sum, not to be read.
			l.sums = append(l.sums, to)
			return isOneOf(to, l.sorted)
		case "min", "max":
			return l.isSum(to)
		}
	}
	return false
}

// isSum reports whether to may grow in any order: an integer. (The sum of floats depends on the order.)
func (l *loop) isSum(to ast.Expr) bool {
	l.effects = true
	l.sums = append(l.sums, to)
	b, ok := l.pass.TypesInfo.TypeOf(to).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// blindReturn allows the return of one and the same list of constants: whether any entry qualifies.
func (l *loop) blindReturn(s *ast.ReturnStmt) bool {
	text := []string{"return"}
	for _, r := range s.Results {
		tv := l.pass.TypesInfo.Types[r]
		if tv.Value == nil && !tv.IsNil() {
			return false
		}
		text = append(text, types.ExprString(r))
	}
	before := l.returns
	l.returns = strings.Join(text, " ")
	return before == "" || before == l.returns
}
