package protocol

import (
	"go/ast"
	"strings"
)

// endpointsOf are the types with a Receive. An endpoint is registered under the constant TYPEName of its package, else
// under Name.
func endpointsOf(packages map[string]*goPackage) []endpointDoc {
	var out []endpointDoc
	functions(packages, func(p *goPackage, f goFile, fn *ast.FuncDecl) {
		if !isReceive(fn) {
			return
		}
		_, typ := receiver(fn)
		name := p.text(packages, strings.ToUpper(typ[:1])+typ[1:]+"Name")
		if name == "" {
			name = p.text(packages, "Name")
		}
		doc, file := p.typeDoc(typ)
		out = append(out, endpointDoc{Name: name, Type: f.ast.Name.Name + "." + typ, File: f.pkg + "/" + file, Doc: doc})
	})
	return out
}

// typeDoc is the comment of a type and the file that has it.
func (p *goPackage) typeDoc(name string) (doc, file string) {
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.Name == name {
					return oneLine(docOf(g, t).Text()), f.name
				}
			}
		}
	}
	return "", ""
}

// docOf is the comment of a type, which stands before its declaration when that declares nothing else.
func docOf(g *ast.GenDecl, t *ast.TypeSpec) *ast.CommentGroup {
	if t.Doc == nil && len(g.Specs) == 1 {
		return g.Doc
	}
	return t.Doc
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// handlersOf are the cases of all Receives, each with the method that takes it.
func handlersOf(packages map[string]*goPackage, endpoints []endpointDoc) (out []use) {
	names := map[string]string{}
	for _, e := range endpoints {
		names[e.Type] = e.Name
	}
	functions(packages, func(p *goPackage, f goFile, fn *ast.FuncDecl) {
		_, typ := receiver(fn)
		switch {
		case isReceive(fn):
			out = append(out, p.cases(f, fn, names[f.ast.Name.Name+"."+typ])...)
		case f.pkg == "rpcenv" && (fn.Name.Name == "greet" || fn.Name.Name == "control"):
			// Handshake and credit are the runtime's own; what is addressed to the verifier never gets there.
			for _, u := range p.cases(f, fn, names["rpcenv.verifier"]) {
				if u.Message != "rpc.Welcome" {
					out = append(out, u)
				}
			}
		}
	})
	return sortUses(out)
}

// cases are the messages of the type switches in fn, also of those in methods that a default clause calls.
func (p *goPackage) cases(f goFile, fn *ast.FuncDecl, endpoint string) (out []use) {
	self, typ := receiver(fn)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSwitchStmt)
		if !ok {
			return true
		}
		for _, stmt := range s.Body.List {
			c := stmt.(*ast.CaseClause)
			methods := methodsIn(c.Body, self)
			if c.List == nil {
				for _, method := range methods {
					if g, next := p.method(typ, method); next != nil && hasTypeSwitch(next) {
						out = append(out, p.cases(g, next, endpoint)...)
					}
				}
				continue
			}
			place := Place{Endpoint: endpoint, Package: f.pkg, File: f.name, Function: functionName(fn)}
			if len(methods) > 0 {
				if g, next := p.method(typ, methods[0]); next != nil {
					place.File, place.Function = g.name, functionName(next)
				}
			}
			for _, e := range c.List {
				if name, _ := f.typeName(e); name != "" {
					out = append(out, use{name, place})
				}
			}
		}
		return false
	})
	return out
}

// methodsIn are the methods that statements call on a receiver, in their order.
func methodsIn(body []ast.Stmt, self string) (methods []string) {
	for _, stmt := range body {
		ast.Inspect(stmt, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && self != "" && x.Name == self {
					methods = append(methods, s.Sel.Name)
				}
			}
			return true
		})
	}
	return methods
}

func (p *goPackage) method(typ, name string) (goFile, *ast.FuncDecl) {
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name && fn.Body != nil {
				if _, t := receiver(fn); t == typ {
					return f, fn
				}
			}
		}
	}
	return goFile{}, nil
}

func hasTypeSwitch(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.TypeSwitchStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

// makersOf are the functions that make one of messages.
func makersOf(packages map[string]*goPackage, endpoints []endpointDoc, messages map[string]bool) (out []use) {
	names := map[string]string{}
	for _, e := range endpoints {
		names[e.Type] = e.Name
	}
	functions(packages, func(_ *goPackage, f goFile, fn *ast.FuncDecl) {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || lit.Type == nil {
				return true
			}
			if name, _ := f.typeName(lit.Type); messages[name] {
				_, typ := receiver(fn)
				out = append(out, use{name, Place{
					Endpoint: names[f.ast.Name.Name+"."+typ], Package: f.pkg, File: f.name, Function: functionName(fn),
				}})
			}
			return true
		})
	})
	return sortUses(out)
}

// localsOf are the structs among what Receives take.
func localsOf(packages map[string]*goPackage, handlers []use) []localDoc {
	var out []localDoc
	wanted := map[string]bool{}
	for _, u := range handlers {
		wanted[u.Message] = true
	}
	for _, name := range sortedKeys(packages) {
		p := packages[name]
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range g.Specs {
					t, ok := s.(*ast.TypeSpec)
					if !ok || !wanted[f.ast.Name.Name+"."+t.Name.Name] {
						continue
					}
					if st, ok := t.Type.(*ast.StructType); ok {
						out = append(out, localDoc{
							Name: f.ast.Name.Name + "." + t.Name.Name, Doc: oneLine(docOf(g, t).Text()),
							Reply: p.replyOf(t.Name.Name), Fields: fieldsOf(st),
						})
					}
				}
			}
		}
	}
	return out
}

// replyOf is what the ReplyType of a type returns.
func (p *goPackage) replyOf(typ string) string {
	f, fn := p.method(typ, "ReplyType")
	if fn == nil || fn.Type.Results.NumFields() != 1 {
		return ""
	}
	name, _ := f.typeName(fn.Type.Results.List[0].Type)
	return name
}

func fieldsOf(s *ast.StructType) []Field {
	var out []Field
	for _, f := range s.Fields.List {
		doc := oneLine(f.Doc.Text())
		if doc == "" {
			doc = oneLine(f.Comment.Text())
		}
		for _, n := range f.Names {
			out = append(out, Field{Name: n.Name, Type: typeText(f.Type), Comment: doc})
		}
	}
	return out
}

// typeText is a type as the source writes it.
func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	case *ast.MapType:
		return "map[" + typeText(e.Key) + "]" + typeText(e.Value)
	case *ast.FuncType:
		return "func"
	}
	return "?"
}
