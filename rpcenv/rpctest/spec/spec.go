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
//	differs: TestA     a line of testdata/differences.txt that names the test says what is done instead
//	n/a: why           nothing to compare with here
//	open: why          not done yet
//
// [Check] fails the test when a line names an unknown test or script, or a difference that is not there.
//
// Another text file of a package, testdata/differences.txt, says what differs on purpose, in lines of the same form:
//
//	what the original does | what is done here | why | what holds it
//
// Where what is done says why, that column is left out; an original that does nothing of the kind is -. [Differences] reads these
// files, and fails the test when a line names an unknown test or script, or none.
package spec

import (
	"errors"
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
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	// A package without the file differs nowhere.
	differences, err := os.ReadFile(filepath.Join("testdata", "differences.txt"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	k := &table{root: root, dir: ".", differences: string(differences), tests: map[string]string{}}
	k.Sections = map[string]int{}
	each(t, filepath.Join("testdata", "spec.txt"), k.check)
	if k.Sentences < least {
		t.Errorf("there are only %d sentences, want %d", k.Sentences, least)
	}
	t.Log(k.Counts)
	return k.Counts
}

// Difference is what a package does otherwise than the original, on purpose.
type Difference struct {
	// Package is a folder below the module's root.
	Package string
	// Original is empty where the original does nothing of the kind, Why where Here says it.
	Original, Here, Why string
	// Tests hold it; none: nothing can observe it yet.
	Tests []string
}

// Differences are the lines of testdata/differences.txt of all packages of the module, package by package.
func Differences(t *testing.T) (all []Difference) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{}
	err = filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
		dir, found := strings.CutSuffix(file, filepath.Join("/testdata", "differences.txt"))
		if err != nil || !found {
			return err
		}
		pkg, err := filepath.Rel(root, dir)
		each(t, file, func(line string) error {
			d, err := (&table{root: root, dir: dir, tests: tests}).difference(line)
			d.Package = filepath.ToSlash(pkg)
			all = append(all, d)
			return err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b Difference) int { return strings.Compare(a.Package, b.Package) })
	return all
}

// each checks the lines of a file.
func each(t *testing.T, file string, check func(line string) error) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := check(line); err != nil {
			t.Errorf("%s:%d: %v", file, i+1, err)
		}
	}
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
	// dir is the package's folder.
	root, dir, differences string
	tests                  map[string]string // the text of a folder's tests, once read
}

// difference takes a line of differences.txt apart.
func (k *table) difference(line string) (d Difference, err error) {
	columns := strings.Split(line, " | ")
	switch len(columns) {
	case 3:
	case 4:
		d.Why = columns[2]
	default:
		return d, fmt.Errorf("%d columns, want ORIGINAL | HERE | WHY | WHAT HOLDS IT, perhaps without WHY: %s", len(columns), line)
	}
	d.Here = columns[1]
	if d.Original = columns[0]; d.Original == "-" {
		d.Original = ""
	}
	last := columns[len(columns)-1]
	if !strings.HasPrefix(last, "n/a: ") {
		d.Tests = strings.Split(last, ", ")
	}
	return d, k.part(last)
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
		if kind == "differs" && !regexp.MustCompile(`\b`+test+`\b`).MatchString(k.differences) {
			return fmt.Errorf("differences.txt has no difference with %s", test)
		}
	}
	return nil
}

var testOf = regexp.MustCompile(`^(?:([\w/]+)\.)?(Test[A-Z]\w*)(?:/(\w+))?$`)

// find looks for a test in a folder of the module; without a folder in the table's package.
func (k *table) find(name string) error {
	m := testOf.FindStringSubmatch(name)
	if m == nil {
		return fmt.Errorf("%q is not a test", name)
	}
	dir := k.dir
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
