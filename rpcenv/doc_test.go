package rpcenv_test

import (
	"os"
	"os/exec"
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

// The program of the documentation is one.
func TestTheProgramOfTheDocumentationRuns(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(doc), "//\tpackage main\n")
	program, _, ok := strings.Cut(program, "\n// To write one")
	if !ok {
		t.Fatal("the program is gone")
	}
	program = "package main\n" + strings.ReplaceAll(strings.ReplaceAll(program, "//\t", ""), "\n//\n", "\n\n")
	program = strings.TrimSuffix(program, "//")
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", path).CombinedOutput()
	if want := "Hello, Ada! You are number 1. <nil>\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}
