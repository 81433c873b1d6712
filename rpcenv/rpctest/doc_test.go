package rpctest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test file of the documentation is one, and passes.
func TestTheTestOfTheDocumentationPasses(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(string(doc), "//\tpackage greeter\n")
	file, _, ok := strings.Cut(file, "\n//\n// # What a test does")
	if !ok {
		t.Fatal("the test file is gone")
	}
	file = "package greeter\n" + strings.ReplaceAll(strings.ReplaceAll(file, "//\t", ""), "\n//\n", "\n\n")
	path := filepath.Join(t.TempDir(), "greeter_test.go")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-v", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestGreeter") {
		t.Errorf("%v\n%s", err, out)
	}
}
