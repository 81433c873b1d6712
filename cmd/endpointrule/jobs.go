package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Jobs reports what makes a job of package rdd give other records in an executor than its driver means.
var Jobs = &analysis.Analyzer{
	Name: "jobrule",
	Doc:  "check that the functions of jobs depend on their arguments only, not on variables, clock, randomness or environment",
	Run:  runJobs,
}

// ownOfAProcess are the functions and variables whose values differ from process to process, by package; a nil list is all.
var ownOfAProcess = map[string][]string{
	"crypto/rand":            nil,
	"flag":                   nil,
	"github.com/spf13/pflag": nil,
	"hash/maphash":           {"MakeSeed"},
	"math/rand":              nil,
	"math/rand/v2":           nil,
	"os":                     nil,
	"path/filepath":          {"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"runtime":                {"NumCPU", "GOMAXPROCS", "NumGoroutine"},
	"time":                   {"Now", "Since", "Until"},
}

// jobs is what the check knows of its package.
type jobs struct {
	pass    *analysis.Pass
	bodies  map[*types.Func]*ast.BlockStmt
	changed map[*types.Var]string // package variables that have no fixed value, and why
	seen    map[ast.Node]bool

	// begins is where declared functions begin, by body.
	begins map[*ast.BlockStmt]token.Pos
	// literals are the function literals that variables are given.
	literals map[*types.Var][]*ast.FuncLit
	written  map[*ast.BlockStmt]bool // whose writes were looked for
	reported map[token.Pos]bool      // as a write
}

func runJobs(pass *analysis.Pass) (any, error) {
	if isRDD(pass.Pkg) { // it runs the functions of jobs, and has none
		return nil, nil
	}
	j := &jobs{
		pass: pass, bodies: map[*types.Func]*ast.BlockStmt{}, changed: map[*types.Var]string{}, seen: map[ast.Node]bool{},
		begins: map[*ast.BlockStmt]token.Pos{}, literals: map[*types.Var][]*ast.FuncLit{}, written: map[*ast.BlockStmt]bool{},
		reported: map[token.Pos]bool{},
	}
	var files []*ast.File
	for _, file := range pass.Files {
		if !isTest(pass, file) {
			files = append(files, file)
		}
	}
	// First all declarations: a job may stand before the function that changes its variable, or in another file.
	for _, file := range files {
		for _, decl := range file.Decls {
			j.declare(decl)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			j.noteLiterals(n)
			return true
		})
	}
	// What functions change comes before what they read: a write is reported once.
	for _, check := range []func(*ast.CallExpr){j.callGiven, j.call} {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					check(call)
				}
				return true
			})
		}
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			j.builder(decl)
		}
	}
	return nil, nil
}

// declare notes what a declaration makes and what it changes.
func (j *jobs) declare(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Body == nil { // written in assembly
			return
		}
		if f, ok := j.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
			j.bodies[f], j.begins[decl.Body] = decl.Body, decl.Pos()
		}
		j.changes(decl.Body, decl.Recv == nil && decl.Name.Name == "init")
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR {
				j.initial(v)
			}
		}
	}
}

// initial notes the variables whose first value is the process's own, such as those of package flag.
func (j *jobs) initial(spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			// A function in an initial value runs later: it may change variables, and gives none its first value.
			if lit, ok := n.(*ast.FuncLit); ok {
				j.changes(lit.Body, false)
				return false
			}
			if id, ok := n.(*ast.Ident); ok {
				if name := j.processOwn(id); name != "" {
					// In var a, b = f() one value is the source of all names.
					for k, left := range spec.Names {
						if v, ok := j.pass.TypesInfo.Defs[left].(*types.Var); ok && (k == i || len(spec.Values) == 1) {
							j.changed[v] = "has its value from " + name
						}
					}
				}
			}
			return true
		})
	}
}

// changes notes the package variables that a body changes, or of which it takes the address. A function init does the same in
// all processes, so it may assign.
func (j *jobs) changes(body *ast.BlockStmt, inInit bool) {
	note := func(e ast.Expr, why string) {
		v := j.root(e)
		switch {
		case v == nil || inInit && why == assigned:
		// The other package is checked in a pass of its own, which cannot see this assignment: report it here.
		case v.Pkg() != j.pass.Pkg && slices.ContainsFunc(v.Pkg().Imports(), isRDD):
			j.pass.Reportf(e.Pos(), "%s.%s %s, and the package has jobs, whose functions have the first value in an executor: pass "+
				"the value in a job's argument", v.Pkg().Name(), v.Name(), why)
		case j.changed[v] == "": // else the first reason stays
			j.changed[v] = why
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					note(e, assigned)
				}
			}
		case *ast.IncDecStmt:
			note(n.X, assigned)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				note(n.Key, assigned)
				note(n.Value, assigned)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X, "has its address taken")
			}
		}
		return true
	})
}

const assigned = "is assigned after its declaration"

// isRDD reports whether p is the package whose functions take those of jobs.
func isRDD(p *types.Package) bool { return p != nil && strings.HasSuffix("/"+p.Path(), "/actors/rdd") }

// root is the package variable that an expression is or is a part of.
func (j *jobs) root(e ast.Expr) *types.Var {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := j.pass.TypesInfo.Uses[e].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
			return v
		}
	case *ast.SelectorExpr:
		if v := j.root(e.Sel); v != nil { // pkg.Var; else x.field, which is a part of x
			return v
		}
		return j.root(e.X)
	case *ast.IndexExpr:
		return j.root(e.X)
	case *ast.StarExpr:
		return j.root(e.X)
	case *ast.ParenExpr:
		return j.root(e.X)
	}
	return nil
}

// callGiven checks what the functions change that are given to a function of package rdd. Define's own may change nothing that it has not
// captured, which call reports.
func (j *jobs) callGiven(call *ast.CallExpr) {
	f := j.callee(call.Fun)
	if f == nil || !isRDD(f.Pkg()) || f.Name() == "Define" || !isOperation(f) {
		return
	}
	for _, arg := range call.Args {
		if _, ok := j.pass.TypesInfo.TypeOf(arg).Underlying().(*types.Signature); ok {
			j.given(arg)
		}
	}
}

// builder checks a declared function that makes Datasets, of a job of this package or of another one that calls it.
func (j *jobs) builder(decl ast.Decl) {
	f, ok := decl.(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return
	}
	builds := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !builds
		}
		callee := j.callee(call.Fun)
		switch {
		case callee == nil || !isRDD(callee.Pkg()):
			return !builds
		case defines(callee): // a job has its own check
			return false
		}
		named, ok := types.Unalias(j.pass.TypesInfo.TypeOf(call)).(*types.Named)
		builds = builds || ok && named.Obj().Name() == "Dataset"
		return !builds
	})
	if builds {
		j.body(f.Body)
	}
}

// isOperation reports whether the functions that are given to one of package rdd are those of jobs: it makes a Dataset or a Partitioner,
// or defines something. What Runners give to the package is their own.
func isOperation(f *types.Func) bool {
	for result := range f.Signature().Results().Variables() {
		if named, ok := types.Unalias(result.Type()).(*types.Named); ok && isRDD(named.Obj().Pkg()) &&
			(named.Obj().Name() == "Dataset" || named.Obj().Name() == "Partitioner") {
			return true
		}
	}
	return defines(f)
}

// defines reports whether a function of package rdd defines something by its name: a job, an aggregation, an order, an effect.
func defines(f *types.Func) bool { return strings.HasPrefix(f.Name(), "Define") }

// call checks the functions that are given to a function of package rdd.
func (j *jobs) call(call *ast.CallExpr) {
	f := j.callee(call.Fun)
	// Package rdd gives functions of its own to those that others cannot call.
	if f == nil || !isRDD(f.Pkg()) || !f.Exported() {
		return
	}
	for _, arg := range call.Args {
		if _, ok := j.pass.TypesInfo.TypeOf(arg).Underlying().(*types.Signature); !ok {
			continue
		}
		lit, isLit := ast.Unparen(arg).(*ast.FuncLit)
		switch declared := j.callee(arg); {
		case isLit:
			// Only the functions of Define and its like are found by their names in an executor, without the values around them. What
			// Define's function gives to Map and its like may capture: the executor calls Define's function, which captures them anew.
			if defines(f) {
				j.captures(lit)
			}
			j.body(lit.Body)
		// A method value captures its receiver, which Define's function must not.
		case declared != nil && (!defines(f) || declared.Signature().Recv() == nil):
			j.body(j.bodies[declared])
		case defines(f):
			j.pass.Reportf(arg.Pos(), "the function of a job has captured values here, which an executor does not get: give "+
				"Define a function literal or a declared function, and pass the values in its argument")
		}
	}
}

// callee is the declared function that an expression names; nil for others.
func (j *jobs) callee(e ast.Expr) *types.Func {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		f, _ := j.pass.TypesInfo.Uses[e].(*types.Func)
		return f
	case *ast.SelectorExpr:
		f, _ := j.pass.TypesInfo.Uses[e.Sel].(*types.Func)
		return f
	case *ast.IndexExpr:
		return j.callee(e.X)
	case *ast.IndexListExpr:
		return j.callee(e.X)
	}
	return nil
}

// captures reports the variables of the function around a job's own: what is declared within the job, such as its argument,
// is the same in an executor.
func (j *jobs) captures(job *ast.FuncLit) {
	ast.Inspect(job, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := j.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() || job.Pos() <= v.Pos() && v.Pos() < job.End() {
			return true
		}
		j.pass.Reportf(id.Pos(), "the function of a job captures %s, whose value an executor does not get: pass it in the "+
			"job's argument", v.Name())
		return true
	})
}

// body reports what a function of a job, or a function that it calls, takes from anywhere but its argument.
func (j *jobs) body(body *ast.BlockStmt) {
	if body == nil || j.seen[body] {
		return
	}
	j.seen[body] = true
	ast.Inspect(body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			// Walked once, though it may be reached from a job, from a helper and from a call of rdd itself.
			if j.seen[lit.Body] {
				return false
			}
			j.seen[lit.Body] = true
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := j.pass.TypesInfo.Uses[id].(type) {
		case *types.Var:
			if why := j.changed[obj]; why != "" && !j.reported[id.Pos()] {
				j.pass.Reportf(id.Pos(), "a function of a job reads %s, which %s: an executor has another value; pass it in "+
					"the job's argument", obj.Name(), why)
			}
		case *types.Func:
			j.body(j.bodies[obj])
		}
		if name := j.processOwn(id); name != "" {
			j.pass.Reportf(id.Pos(), "a function of a job uses %s, which differs from process to process: pass its value in the "+
				"job's argument", name)
		}
		return true
	})
}

// processOwn is the qualified name of a function or variable that differs from process to process; "" for all else. Types do not
// differ, nor do generators of random numbers with a seed from the caller.
func (j *jobs) processOwn(id *ast.Ident) string {
	obj := j.pass.TypesInfo.Uses[id]
	// A method or a field is not checked: the function or variable that its value came from is.
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	names, ok := ownOfAProcess[obj.Pkg().Path()]
	if !ok || names != nil && !slices.Contains(names, obj.Name()) {
		return ""
	}
	switch obj.(type) {
	case *types.Func:
		if strings.HasPrefix(obj.Pkg().Path(), "math/rand") && strings.HasPrefix(obj.Name(), "New") {
			return ""
		}
	case *types.Var:
	default:
		return ""
	}
	return obj.Pkg().Name() + "." + obj.Name()
}
