package local_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The example of the package's comment is a test in a module of its own, which knows nothing of this one's programs; without its
// TestMain its error says what to write.
func TestTheExampleInAnotherModule(t *testing.T) {
	t.Parallel()
	example := exampleOf(t, "doc.go")
	tree, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const goVersion = "go 1.26.0\n" // no less than that of this module
	write(t, filepath.Join(dir, "go.mod"), "module example.org/outside\n\n"+goVersion)
	// A workspace finds in the go command's cache what the tree's own tests have compiled; a replace would compile all again. It
	// reads the go.mod of each module, also of those that are only needed elsewhere, so the go command may have to get some.
	write(t, filepath.Join(dir, "go.work"), fmt.Sprintf(goVersion+"\nuse (\n\t.\n\t%s\n)\n", strconv.Quote(tree)))
	write(t, filepath.Join(dir, "squares", "squares_test.go"), example)
	const hook = "func TestMain(m *testing.M) { local.Main(m) }"
	write(t, filepath.Join(dir, "forgotten", "squares_test.go"), strings.Replace(example, hook, "", 1))

	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("a package without TestMain passes")
	}
	for _, want := range []string{`(?m)^ok\s+example.org/outside/squares\s`, `(?m)^FAIL\s+example.org/outside/forgotten\s`, regexp.QuoteMeta("write in a _test.go file of this package: " + hook)} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// exampleOf is the code in a package's comment.
func exampleOf(t *testing.T, file string) string {
	t.Helper()
	var code strings.Builder
	for line := range strings.Lines(read(t, file)) {
		if line == "//\n" {
			code.WriteByte('\n')
		} else if rest, ok := strings.CutPrefix(line, "//\t"); ok {
			code.WriteString(rest)
		}
	}
	return code.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
