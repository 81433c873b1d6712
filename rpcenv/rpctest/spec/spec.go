// Package spec keeps tables true that say what holds each sentence of a specification.
//
// A table is a text file of a package, testdata/spec.txt. A line is
//
//	what the original does | what holds it
//
// or, where the sentences are of several sections, SECTION | SENTENCE | WHAT HOLDS IT. Empty lines and those that begin
// with # are for the reader. The last column has one or more of these, with "; " between them:
//
//	TestA, TestB       tests of the package itself, or of another folder: actors/worker.TestA
//	TestA/NAME         its golden script testdata/scripts/NAME.txt
//	differs: TestA     doc.go says what is done instead, and names the test
//	n/a: why           nothing to compare with here
//	open: why          not done yet
//
// [Check] fails the test when a line names an unknown test or script, or a difference that doc.go does not have.
package spec

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Counts is how many lines of a table are of each kind. One with "held" and "differs" counts for both.
type Counts struct {
	Sentences, Held, Differs, NotApplicable, Open int
	// Sections are how many sentences each section has, when the lines have three columns.
	Sections map[string]int
}

func (c Counts) String() string {
	return fmt.Sprintf("%d sentences: %d held, %d differ, %d not comparable, %d open", c.Sentences, c.Held, c.Differs, c.NotApplicable, c.Open)
}

// Check checks testdata/spec.txt of the package under test. Fewer sentences than least are an error too: a table that was
// cut short must not pass.
func Check(t *testing.T, least int) Counts {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "spec.txt"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	k := &table{root: root, doc: string(doc), tests: map[string]string{}}
	k.Sections = map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := k.check(line); err != nil {
			t.Errorf("spec.txt:%d: %v", i+1, err)
		}
	}
	if k.Sentences < least {
		t.Errorf("there are only %d sentences, want %d", k.Sentences, least)
	}
	t.Log(k.Counts)
	return k.Counts
}

// moduleRoot is the folder of the go.mod above the test.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("there is no go.mod above the test")
		}
		dir = up
	}
}

// Packages checks that the doc.go of the package under test, whose comment lists the packages below it, names each, as NAME/.
func Packages(t *testing.T) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	missing, err := unnamed(os.DirFS("."), string(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range missing {
		t.Errorf("doc.go does not name %s/: give it a line", name)
	}
}

// unnamed are the directories with Go files below a package that its comment does not name.
func unnamed(dir fs.FS, doc string) (out []string, err error) {
	err = fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata": // the go command ignores it, and so are its Go files no package
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || path.Dir(name) == ".":
			return nil
		}
		at := path.Dir(name)
		if !slices.Contains(out, at) && !regexp.MustCompile(`(?m)^//\t.*\b`+regexp.QuoteMeta(path.Base(at))+`/`).MatchString(doc) {
			out = append(out, at)
		}
		return nil
	})
	return out, err
}

// table is one under check.
type table struct {
	Counts
	root, doc string
	tests     map[string]string // the text of a folder's tests, once read
}

func (k *table) check(line string) error {
	columns := strings.Split(line, " | ")
	switch len(columns) {
	case 2:
	case 3:
		k.Sections[columns[0]]++
	default:
		return fmt.Errorf("%d columns, want SENTENCE | WHAT HOLDS IT, perhaps behind a section: %s", len(columns), line)
	}
	k.Sentences++
	for part := range strings.SplitSeq(columns[len(columns)-1], "; ") {
		if err := k.part(part); err != nil {
			return err
		}
	}
	return nil
}

func (k *table) part(part string) error {
	kind, tests, ok := strings.Cut(part, ": ")
	if !ok {
		kind, tests = "", part
	}
	switch kind {
	case "n/a":
		k.NotApplicable++
		return nil
	case "open":
		k.Open++
		return nil
	case "differs":
		k.Differs++
	case "":
		k.Held++
	default:
		return fmt.Errorf("%q is neither tests nor differs, n/a or open", part)
	}
	// What is held and what differs both name tests: a sentence without a test is only a claim.
	for test := range strings.SplitSeq(tests, ", ") {
		if err := k.find(test); err != nil {
			return err
		}
		if kind == "differs" && !regexp.MustCompile(`\b`+test+`\b`).MatchString(k.doc) {
			return fmt.Errorf("doc.go has no difference with %s", test)
		}
	}
	return nil
}

var testOf = regexp.MustCompile(`^(?:([\w/]+)\.)?(Test[A-Z]\w*)(?:/(\w+))?$`)

// find looks for a test in a folder of the module; without a folder in the package under test.
func (k *table) find(name string) error {
	m := testOf.FindStringSubmatch(name)
	if m == nil {
		return fmt.Errorf("%q is not a test", name)
	}
	dir := "."
	if m[1] != "" {
		dir = filepath.Join(k.root, m[1])
	}
	if _, read := k.tests[dir]; !read {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return err
		}
		slices.Sort(files)
		var all strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			all.Write(text)
		}
		k.tests[dir] = all.String()
	}
	if !strings.Contains(k.tests[dir], "func "+m[2]+"(t *testing.T)") {
		return fmt.Errorf("there is no %s", name)
	}
	if m[3] == "" {
		return nil
	}
	_, err := os.Stat(filepath.Join(dir, "testdata", "scripts", m[3]+".txt"))
	return err
}
