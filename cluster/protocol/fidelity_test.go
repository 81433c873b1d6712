package protocol

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unobserved are the beginnings of the rows that no test holds, because nothing can observe them yet.
var unobserved = []string{
	"After a fetch failure the executor's block manager stays", // no block is reported, so nobody asks for block managers
}

// TestEachDeviationIsHeldByATest: the tests that the rows name exist, in the package or beside it within the same role.
func TestEachDeviationIsHeldByATest(t *testing.T) {
	rows := analysed(t).Deviations
	perPackage, tests := map[string]int{}, map[string]map[string]bool{}
	for _, d := range rows {
		perPackage[d.Package]++
		if tests[role(d.Package)] == nil {
			tests[role(d.Package)] = testsBelow(t, role(d.Package))
		}
		known := tests[role(d.Package)]
		for _, name := range d.Tests {
			if !known[name] {
				t.Errorf("%s: %q names %s, which is no test in %s", d.Package, d.Here, name, role(d.Package))
			}
		}
		excused := slices.ContainsFunc(unobserved, func(s string) bool { return strings.HasPrefix(d.Here, s) })
		if (len(d.Tests) == 0) != excused {
			t.Errorf("%s: %q names %d tests: end the item with (TestX), or list it as unobserved", d.Package, d.Here, len(d.Tests))
		}
		if d.Here == "" || d.Package == "rpcenv" && d.Spark == "" {
			t.Errorf("%s: a row says nothing: %+v", d.Package, d)
		}
	}
	if perPackage["rpcenv"] < 15 || perPackage["actors/master"] < 8 || len(perPackage) < 10 || len(rows) < 55 {
		t.Errorf("there are only %d rows, by package %v", len(rows), perPackage)
	}
}

// role is the folder of a role, or of the runtime: actors/driver for all of a driver's packages.
func role(pkg string) string {
	parts := strings.Split(pkg, "/")
	return path.Join(parts[:min(2, len(parts))]...)
}

// testsBelow are the test functions in and below a folder, and the scripts of TestProtocol.
func testsBelow(t *testing.T, folder string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
		if dir, script := filepath.Split(name); strings.HasSuffix(dir, "/testdata/scripts/") {
			out["TestProtocol/"+strings.TrimSuffix(script, ".txt")] = true
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				out[fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTablesAndListsAreRead(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", `// Package x is.
//
// # Differences from Spark
//
//	Spark              here            test
//	It does            it does not     TestA
//	so
//	It is              it was          TestB, TestC
//
// And these:
//
//   - First, over
//     two lines. (TestD)
//   - Second. (TestE, TestF)
//   - Third (not held).
//
// # Other
//
//   - No difference.
package x
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []Deviation{
		{"x", "It does so", "it does not", []string{"TestA"}},
		{"x", "It is", "it was", []string{"TestB", "TestC"}},
		{"x", "", "First, over two lines.", []string{"TestD"}},
		{"x", "", "Second.", []string{"TestE", "TestF"}},
		{"x", "", "Third (not held).", nil},
	}
	got := differences("x", f.Doc)
	if !slices.EqualFunc(got, want, func(a, b Deviation) bool {
		return a.Package == b.Package && a.Spark == b.Spark && a.Here == b.Here && slices.Equal(a.Tests, b.Tests)
	}) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
