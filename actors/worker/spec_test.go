package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each sentence of Spark's Worker names the tests that hold it, or the bullet of doc.go that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "spec.txt"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	sentences := 0
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		sentences++
		if err := checkSentence(line, string(doc)); err != nil {
			t.Errorf("spec.txt:%d: %v", i+1, err)
		}
	}
	if sentences < 50 {
		t.Errorf("there are only %d sentences", sentences)
	}
}

var testOf = regexp.MustCompile(`^(?:([\w/]+)\.)?(Test[A-Z]\w+)$`)

// checkSentence reports what is wrong with a line of the table.
func checkSentence(line, doc string) error {
	_, held, ok := strings.Cut(line, " | ")
	if !ok {
		return fmt.Errorf("want two columns: %s", line)
	}
	for part := range strings.SplitSeq(held, "; ") {
		tests, differs := strings.CutPrefix(part, "differs: ")
		if strings.HasPrefix(part, "n/a: ") {
			continue
		}
		for test := range strings.SplitSeq(tests, ", ") {
			m := testOf.FindStringSubmatch(test)
			switch {
			case m == nil:
				return fmt.Errorf("%q is no test", test)
			case differs && !strings.Contains(doc, test):
				return fmt.Errorf("doc.go has no difference with %s", test)
			}
			if err := findTest(m[1], m[2]); err != nil {
				return err
			}
		}
	}
	return nil
}

// findTest looks for a test in a folder of the module; "" is this one.
func findTest(folder, name string) error {
	pattern := "*_test.go"
	if folder != "" {
		pattern = filepath.Join("..", "..", folder, pattern)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "func "+name+"(t *testing.T)") {
			return nil
		}
	}
	return fmt.Errorf("there is no test %s in %q", name, folder)
}
