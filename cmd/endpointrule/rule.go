package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports what makes an endpoint depend on anything but its messages and its Context.
var Analyzer = &analysis.Analyzer{
	Name: "endpointrule",
	Doc:  "check that endpoints and pure files use no goroutine, channel, lock, clock, randomness, network or map order",
	Run:  run,
}

// pure is the line that puts a file under the rule.
const pure = "//coherer:pure"

// forbidden holds, by package, what to use instead of its names. A list of names forbids these only, an empty one nothing. The rule
// of a package without a list holds for those below it too, unless they have a rule of their own.
var forbidden = map[string]struct {
	instead string
	names   []string
}{
	"context": {"take time from the Context", []string{
		"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause", "AfterFunc",
	}},
	"time": {"take time from the Context", []string{
		"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation",
	}},
	"iter":          {"run blocking work with rpcenv.Run", []string{"Pull", "Pull2"}},
	"reflect":       {"send a message", []string{"Select", "MakeChan", "ChanOf"}},
	"path/filepath": {"let the caller supply what it reads", []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}},
	"math/rand":     {"take randomness from the Context", nil},
	"math/rand/v2":  {"take randomness from the Context", nil},
	"crypto/rand":   {"take randomness from the Context", nil},
	"hash/maphash":  {"its seed differs from run to run: use hash/fnv", nil},
	"sync":          {"an endpoint handles one message at a time: no lock is needed", nil},
	"os":            {"let the caller supply what it reads", nil},
	"io/ioutil":     {"let the caller supply what it reads", nil},
	"os/exec":       {"let the caller supply what it starts", nil},
	"os/signal":     {"signals belong to commands", nil},
	"syscall":       {"let the caller supply what it reads", nil},
	"net":           {"send messages instead", nil},
	"net/netip":     {"", []string{}},
	"net/url":       {"", []string{}},
	"crypto/tls":    {"send messages instead", nil},
	"runtime":       {"scheduling must not be seen", nil},

	"golang.org/x/sync":                             {"run blocking work with rpcenv.Run", nil},
	"google.golang.org/protobuf/encoding/protojson": {"its blanks differ from build to build", nil},
	"google.golang.org/protobuf/encoding/prototext": {"its blanks differ from build to build", nil},
}

// methods are forbidden too, by type and name.
var methods = map[string]string{
	"reflect.Value.MapKeys":  "its order is that of a map: sort the keys",
	"reflect.Value.MapRange": "its order is that of a map: sort the keys",
	"time.Time.Local":        "the zone is that of the machine: use UTC",
}

// ruleOf is the rule for a package: its own, or that of the nearest package above it.
func ruleOf(path string) (instead string, names []string, ok bool) {
	for {
		if rule, ok := forbidden[path]; ok {
			return rule.instead, rule.names, true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return "", nil, false
		}
		path = path[:i]
		if rule, ok := forbidden[path]; ok && rule.names != nil {
			return "", nil, false // only some names of the package above are forbidden
		}
	}
}

func run(pass *analysis.Pass) (any, error) {
	endpoints := endpointTypes(pass)
	for _, file := range pass.Files {
		switch {
		// Tests drive endpoints from outside, with goroutines and clocks of their own.
		case isTest(pass, file):
		// Helpers of an endpoint are called in its turn, so the rule holds for the whole package. Package main also starts Envs and reads
		// flags: there only the endpoint's own methods count.
		case isPure(file), len(endpoints) > 0 && pass.Pkg.Name() != "main":
			check(pass, file)
		default:
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && slices.Contains(endpoints, receiver(pass, f)) {
					check(pass, f)
				}
			}
		}
	}
	return nil, nil
}

func isTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go")
}

func isPure(file *ast.File) bool {
	for _, group := range file.Comments {
		if slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return c.Text == pure }) {
			return true
		}
	}
	return false
}

// endpointTypes are the types of the package that have a method Receive(*rpcenv.Context, ...). The runtime has none.
func endpointTypes(pass *analysis.Pass) []*types.TypeName {
	var out []*types.TypeName
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			// A probe of a test does not put its package under the rule.
			if !ok || f.Name.Name != "Receive" || isTest(pass, file) {
				continue
			}
			if t := receiver(pass, f); t != nil && takesContext(pass, f) {
				out = append(out, t)
			}
		}
	}
	return out
}

// receiver is the type whose method f is; nil for a function.
func receiver(pass *analysis.Pass, f *ast.FuncDecl) *types.TypeName {
	if recv := pass.TypesInfo.Defs[f.Name].(*types.Func).Signature().Recv(); recv != nil {
		return named(recv.Type())
	}
	return nil
}

func takesContext(pass *analysis.Pass, f *ast.FuncDecl) bool {
	params := pass.TypesInfo.Defs[f.Name].(*types.Func).Signature().Params()
	if params.Len() == 0 {
		return false
	}
	// The runtime itself, rpcenv and what lies below, has methods of this form too and needs goroutines and locks.
	t := named(params.At(0).Type())
	return isContext(t) && !strings.HasPrefix(pass.Pkg.Path()+"/", t.Pkg().Path()+"/")
}

// isContext reports whether t is rpcenv's Context.
func isContext(t *types.TypeName) bool {
	return t != nil && t.Name() == "Context" && t.Pkg() != nil && strings.HasSuffix("/"+t.Pkg().Path(), "/rpcenv")
}

// named is the name of a type or of what a pointer points to; nil when it has none.
func named(t types.Type) *types.TypeName {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// check reports what is forbidden in a file or function.
func check(pass *analysis.Pass, root ast.Node) {
	for _, order := range mapOrders(pass, root) {
		pass.Reportf(order, "the order of a map can be seen here: sort the keys first, as in slices.Sorted(maps.Keys(m))")
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			pass.Reportf(n.Pos(), "go statement in an endpoint: send a message, or run blocking work with rpcenv.Run")
		case *ast.ChanType, *ast.SendStmt, *ast.SelectStmt:
			pass.Reportf(n.Pos(), "channel in an endpoint: send a message")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				pass.Reportf(n.Pos(), "channel in an endpoint: send a message")
			}
		case *ast.RangeStmt:
			if _, ok := pass.TypesInfo.TypeOf(n.X).Underlying().(*types.Chan); ok {
				pass.Reportf(n.Pos(), "channel in an endpoint: send a message")
			}
		case *ast.Ident:
			checkUse(pass, n)
		}
		return true
	})
}

// checkUse reports the use of a forbidden package's function, variable or type.
func checkUse(pass *analysis.Pass, id *ast.Ident) {
	obj := pass.TypesInfo.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return
	}
	if obj.Parent() != obj.Pkg().Scope() { // a method or field: most are caught where their type or value is named
		if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
			if t := named(f.Signature().Recv().Type()); t != nil && t.Pkg() != nil {
				if instead, ok := methods[t.Pkg().Path()+"."+t.Name()+"."+f.Name()]; ok {
					pass.Reportf(id.Pos(), "%s.%s in an endpoint: %s", t.Name(), f.Name(), instead)
				}
			}
		}
		return
	}
	instead, names, ok := ruleOf(obj.Pkg().Path())
	if !ok || names != nil && !slices.Contains(names, obj.Name()) {
		return
	}
	// The Context hands out a *rand.Rand, so endpoints name the type.
	if _, isType := obj.(*types.TypeName); isType && strings.HasPrefix(obj.Pkg().Path(), "math/rand") {
		return
	}
	pass.Reportf(id.Pos(), "%s.%s in an endpoint: %s", obj.Pkg().Name(), obj.Name(), instead)
}
