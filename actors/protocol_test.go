package actors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/coherer/coherer/messages/app"
	_ "github.com/coherer/coherer/messages/deploy"
	_ "github.com/coherer/coherer/messages/rpc"
	_ "github.com/coherer/coherer/messages/storage"
	_ "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/codec"
)

// endpoints are the names under which the types that have a Receive are registered.
var endpoints = map[string]string{
	"rpcenv.verifier":         "endpoint-verifier",
	"master.Master":           "Master",
	"worker.Worker":           "Worker",
	"worker.Watcher":          "WorkerWatcher",
	"appclient.AppClient":     "AppClient",
	"driver.Scheduler":        "CoarseGrainedScheduler",
	"dag.Scheduler":           "DAGScheduler",
	"heartbeat.Receiver":      "HeartbeatReceiver",
	"mapoutput.Tracker":       "MapOutputTracker",
	"commit.Coordinator":      "OutputCommitCoordinator",
	"storage.Master":          "BlockManagerMaster",
	"storage.MasterHeartbeat": "BlockManagerMasterHeartbeat",
	"executor.Executor":       "Executor",
	"tracer.Tracer":           "Tracer",
	"progress.Progress":       "Progress",
}

// TestMessagesAndHandlersMatch holds the protocol and the code together: a message that says which endpoint handles it is
// a case of that endpoint's Receive, and a protobuf message that is a case there says so.
func TestMessagesAndHandlersMatch(t *testing.T) {
	handled := map[string][]string{} // endpoint: full names of messages
	for typ, messages := range receives(t) {
		name, ok := endpoints[typ]
		if !ok {
			t.Errorf("%s has a Receive and no name in this test's table", typ)
		}
		handled[name] = append(handled[name], messages...)
	}
	table, err := codec.Load()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		name := mt.Descriptor().FullName()
		p := table.Protocol(name)
		if name == "rpc.Hello" || name == "rpc.Failure" { // the connection takes them, no Receive
			return true
		}
		for _, to := range p.GetTo() {
			count++
			if !slices.Contains(handled[to], string(name)) {
				t.Errorf("%s says that %s handles it, but it is no case of its Receive", name, to)
			}
		}
		return true
	})
	if count < 25 {
		t.Errorf("only %d messages have a handler", count)
	}
	for endpoint, messages := range handled {
		for _, m := range messages {
			if p := table.Protocol(protoreflect.FullName(m)); !slices.Contains(p.GetTo(), endpoint) {
				t.Errorf("%s handles %s, whose protocol option does not name it", endpoint, m)
			}
		}
	}
}

// receives are the protobuf messages that are cases in the Receive of each type, "package.Type".
func receives(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	walk := func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		packages := map[string]string{} // local name of an import: the last part of a path below messages/
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if !strings.Contains(p, "/messages/") {
				continue
			}
			local := path.Base(p)
			if i.Name != nil {
				local = i.Name.Name
			}
			packages[local] = path.Base(p)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "Receive" && isHandler(fn) {
				typ := f.Name.Name + "." + receiver(fn)
				out[typ] = append(out[typ], cases(fn, packages)...)
			}
		}
		return nil
	}
	if err := filepath.WalkDir(".", walk); err != nil {
		t.Fatal(err)
	}
	for _, runtime := range []string{"../rpcenv/verifier.go", "../rpcenv/tracer"} {
		if err := filepath.WalkDir(runtime, walk); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// isHandler reports whether fn is Receive(*rpcenv.Context, ...).
func isHandler(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || fn.Type.Params.NumFields() != 2 {
		return false
	}
	p, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := p.X.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Context"
	case *ast.Ident:
		return x.Name == "Context"
	}
	return false
}

func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	return typ.(*ast.Ident).Name
}

// cases are the messages of the type switches in fn.
func cases(fn *ast.FuncDecl, packages map[string]string) []string {
	var out []string
	ast.Inspect(fn, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		for _, e := range c.List {
			p, ok := e.(*ast.StarExpr)
			if !ok {
				continue
			}
			if s, ok := p.X.(*ast.SelectorExpr); ok {
				if pkg := packages[s.X.(*ast.Ident).Name]; pkg != "" {
					out = append(out, pkg+"."+s.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}
