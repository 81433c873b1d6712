package rpcenv_test

import (
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

func TestThePackageCommentNamesEveryPackage(t *testing.T) { spec.Packages(t) }

// The program of the documentation is that of Example_program, which runs.
func TestTheProgramOfTheDocumentationRuns(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(doc), "//\tpackage main\n")
	program, _, ok := strings.Cut(program, "//\n// To write one")
	if !ok {
		t.Fatal("the program is gone")
	}
	program = strings.ReplaceAll(strings.ReplaceAll(program, "//\t", ""), "//\n", "\n")
	program = strings.Replace(program, "func main() {", "func Example_program() {", 1)
	example, err := os.ReadFile("example_program_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if want, _, _ := strings.Cut(string(example), "\t// Output:"); "package rpcenv_test\n"+program != want+"}\n" {
		t.Errorf("example_program_test.go is another one than that of doc.go:\n%s", program)
	}
}
