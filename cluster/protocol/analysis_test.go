package protocol

import (
	"cmp"
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
)

// root is the module's root, seen from this package.
const root = "../.."

// goFile is a file of the source.
type goFile struct {
	pkg, name string // the folder below root, and the file in it
	ast       *ast.File
	imports   map[string]string // local name: the folder below root
}

// goPackage is a folder of the source.
type goPackage struct {
	files  []goFile
	consts map[string]string   // those that are strings
	others map[string]constant // those that are another package's
}

// constant is a constant of a package, by its folder.
type constant struct{ pkg, name string }

// sources are the packages that endpoints lie in: all of actors/, rpcenv/ and cluster/.
func sources(t *testing.T) map[string]*goPackage {
	t.Helper()
	out := map[string]*goPackage{}
	add := func(at string) error {
		rel, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(rel))
		if out[pkg] == nil {
			out[pkg] = &goPackage{consts: map[string]string{}, others: map[string]constant{}}
		}
		file := goFile{pkg, path.Base(filepath.ToSlash(rel)), f, importsOf(f)}
		out[pkg].files = append(out[pkg].files, file)
		out[pkg].stringConsts(file)
		return nil
	}
	var files []string
	for _, folder := range []string{"actors", "rpcenv", "cluster"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (strings.HasSuffix(name, "test") || slices.Contains([]string{"scenario", "testdata"}, d.Name())):
				// test kits (rpctest, tracetest) and scripts play endpoints: what they send has another maker
				return fs.SkipDir
			case !d.IsDir() && strings.HasSuffix(name, ".go"):
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		if err := add(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// module is the prefix of the imports of our own packages.
const module = "github.com/coherer/coherer/"

func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || !strings.HasPrefix(p, module) {
			continue
		}
		local := path.Base(p)
		if i.Name != nil {
			local = i.Name.Name
		}
		out[local] = strings.TrimPrefix(p, module)
	}
	return out
}

func (p *goPackage) stringConsts(f goFile) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Names) != len(v.Values) {
			return true
		}
		for i, value := range v.Values {
			switch x := value.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
					p.consts[v.Names[i].Name] = s
				}
			case *ast.SelectorExpr:
				if of, ok := x.X.(*ast.Ident); ok {
					p.others[v.Names[i].Name] = constant{f.imports[of.Name], x.Sel.Name}
				}
			}
		}
		return true
	})
}

// text is the text of a constant of the package, or of another package; "" for another expression.
func (p *goPackage) text(packages map[string]*goPackage, name string) string {
	if other := packages[p.others[name].pkg]; other != nil {
		return other.consts[p.others[name].name]
	}
	return p.consts[name]
}

// typeName is package.Type of a message as the source names it, with the folder that it lies in; "" for what is no named
// type of ours.
func (f goFile) typeName(e ast.Expr) (name, folder string) {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	switch e := e.(type) {
	case *ast.Ident:
		if ast.IsExported(e.Name) || e.Obj == nil {
			return f.ast.Name.Name + "." + e.Name, f.pkg
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && f.imports[x.Name] != "" {
			return path.Base(f.imports[x.Name]) + "." + e.Sel.Name, f.imports[x.Name]
		}
	}
	return "", ""
}

// receiver is the name of a method's receiver and of its type; both are "" for a function.
func receiver(fn *ast.FuncDecl) (name, typ string) {
	if fn.Recv == nil {
		return "", ""
	}
	field := fn.Recv.List[0]
	if len(field.Names) > 0 {
		name = field.Names[0].Name
	}
	e := field.Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if g, ok := e.(*ast.IndexExpr); ok {
		e = g.X
	}
	if id, ok := e.(*ast.Ident); ok {
		typ = id.Name
	}
	return name, typ
}

// functionName is Type.method, or the function.
func functionName(fn *ast.FuncDecl) string {
	if _, typ := receiver(fn); typ != "" {
		return typ + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// isReceive reports whether fn is Receive(*rpcenv.Context, ...).
func isReceive(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || fn.Name.Name != "Receive" || fn.Type.Params.NumFields() != 2 {
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

// functions are all of the packages, in order.
func functions(packages map[string]*goPackage, each func(p *goPackage, f goFile, fn *ast.FuncDecl)) {
	for _, name := range sortedKeys(packages) {
		p := packages[name]
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					each(p, f, fn)
				}
			}
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortUses(uses []use) []use {
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Function, b.Function))
	})
	return slices.Compact(uses)
}
