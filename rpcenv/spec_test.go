package rpcenv_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each sentence of Spark's rules names the tests that hold it, or the row of doc.go that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "spec.txt"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	s := spec{differences: string(doc), tests: map[string]string{}, sections: map[string]int{}, count: map[string]int{}}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := s.check(line); err != nil {
			t.Errorf("spec.txt:%d: %v", i+1, err)
		}
	}
	for n := 1; n <= 11; n++ {
		if section := fmt.Sprint("1.", n); s.sections[section] < 5 {
			t.Errorf("section %s has %d sentences", section, s.sections[section])
		}
	}
	t.Logf("%d held, %d differ, %d not comparable, %d open", s.count["held"], s.count["differs"], s.count["n/a"], s.count["open"])
}

// spec is what the lines of the table are checked against.
type spec struct {
	differences string
	tests       map[string]string // the text of a folder's tests
	sections    map[string]int
	count       map[string]int
}

var testName = regexp.MustCompile(`^(?:(\w+)\.)?(Test[A-Z]\w+)$`)

func (s *spec) check(line string) error {
	parts := strings.Split(line, " | ")
	if len(parts) != 3 {
		return fmt.Errorf("%d columns, want 3", len(parts))
	}
	s.sections[parts[0]]++
	for holds := range strings.SplitSeq(parts[2], "; ") {
		kind, what, ok := strings.Cut(holds, ": ")
		if !ok {
			kind, what = "held", holds
		}
		s.count[kind]++
		switch kind {
		case "n/a", "open":
		case "differs":
			if !regexp.MustCompile(`(?m)^//\t.*\s` + what + `$`).MatchString(s.differences) {
				return fmt.Errorf("doc.go has no row of %s", what)
			}
		case "held":
			for name := range strings.SplitSeq(what, ", ") {
				if err := s.find(name); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("%q is neither a test, differs, n/a nor open", holds)
		}
	}
	return nil
}

// find looks for a test in this folder or one below it.
func (s *spec) find(name string) error {
	m := testName.FindStringSubmatch(name)
	if m == nil {
		return fmt.Errorf("%q is no test", name)
	}
	if _, read := s.tests[m[1]]; !read {
		files, err := filepath.Glob(filepath.Join(".", m[1], "*_test.go"))
		if err != nil {
			return err
		}
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			all.Write(b)
		}
		s.tests[m[1]] = all.String()
	}
	if !strings.Contains(s.tests[m[1]], "func "+m[2]+"(t *testing.T)") {
		return fmt.Errorf("there is no %s", name)
	}
	return nil
}
