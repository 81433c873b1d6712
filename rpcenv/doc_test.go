package rpcenv_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The table of differences in doc.go names the test that holds each row.
func TestTheDocumentationNamesTestsThatExist(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(b)
	}
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(doc), -1)
	if len(named) < 10 {
		t.Fatal("the table is gone:", named)
	}
	for _, name := range named {
		if !strings.Contains(tests.String(), "func "+name+"(t *testing.T)") {
			t.Error("there is no", name)
		}
	}
}

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
