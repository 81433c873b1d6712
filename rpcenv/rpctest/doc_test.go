package rpctest_test

import (
	"os"
	"strings"
	"testing"
)

// The test file of the documentation is greeter_test.go.
func TestTheTestOfTheDocumentationPasses(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(string(doc), "//\tpackage greeter\n")
	file, _, ok := strings.Cut(file, "//\n// # What a test does")
	if !ok {
		t.Fatal("the test file is gone")
	}
	file = strings.ReplaceAll(strings.ReplaceAll(file, "//\t", ""), "//\n", "\n")
	passes, err := os.ReadFile("greeter_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if "package rpctest_test\n"+file != string(passes) {
		t.Errorf("greeter_test.go is another one than that of doc.go:\n%s", file)
	}
}
