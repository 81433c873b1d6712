package spec

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// Each way in which a line can be wrong is found, and named by its cause.
func TestALineThatDoesNotHoldIsFound(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"a sentence | TestALineThatDoesNotHoldIsFound":                                        "",
		"1.2 | a sentence | TestALineThatDoesNotHoldIsFound":                                  "",
		"a sentence | rpcenv/rpctest.TestMain":                                                "there is no rpcenv/rpctest.TestMain", // of testing.M
		"a sentence | TestALineThatDoesNotHold":                                               "there is no TestALineThatDoesNotHold",
		"a sentence | rpcenv/rpctest/spec.TestALineThatDoesNotHoldIsFound":                    "",
		"a sentence | rpcenv/rpctest/script.TestScripts/porter":                               "",
		"a sentence | rpcenv/rpctest/script.TestScripts/attic":                                "attic.txt: no such file",
		"a sentence | nowhere.TestALineThatDoesNotHoldIsFound":                                "there is no nowhere.TestALine",
		"a sentence | differs: TestALineThatDoesNotHoldIsFound":                               "",
		"a sentence | differs: rpcenv/rpctest/spec.TestALineThatDoesNotHoldIsFound; n/a: why": "no difference with rpcenv/rpctest/spec.Test",
		"a sentence | n/a: why; open: why":                                                    "",
		"a sentence | perhaps: TestALineThatDoesNotHoldIsFound":                               "neither tests nor",
		"a sentence | by nothing":                                                             `"by nothing" is not a test`,
		"a sentence":                                                                          "1 columns",
		"1 | 2 | 3 | TestALineThatDoesNotHoldIsFound":                                         "4 columns",
	} {
		k := &table{root: root, dir: ".", differences: "a | b | TestALineThatDoesNotHoldIsFound", tests: map[string]string{}}
		k.Sections = map[string]int{}
		switch err := k.check(line); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", line, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestALineOfDifferencesIsTakenApart(t *testing.T) {
	const test = "TestALineOfDifferencesIsTakenApart"
	for line, want := range map[string]string{
		"a | b | c | " + test:                "{ a b c [" + test + "]} <nil>",
		"a | b | " + test + ", " + test:      "{ a b  [" + test + " " + test + "]} <nil>",
		"- | b | c | n/a: nobody can see it": "{  b c []} <nil>",
		"a | b | c | TestNothing":            "{ a b c [TestNothing]} there is no TestNothing",
		"a | " + test:                        "{    []} 2 columns, want ORIGINAL | HERE | WHY | WHAT HOLDS IT, perhaps without WHY: a | " + test,
	} {
		k := &table{dir: ".", tests: map[string]string{}}
		d, err := k.difference(line)
		if got := fmt.Sprint(d, " ", err); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// A package that its parent's comment does not name is found, also one with tests alone; a folder without Go files is none.
func TestAPackageWithoutALineIsFound(t *testing.T) {
	tree := fstest.MapFS{"doc.go": {}, "a/a.go": {}, "a/b/b.go": {}, "a/b/b_test.go": {}, "ab/x_test.go": {}, "text/x.txt": {}, "a/testdata/x.go": {}}
	for doc, want := range map[string]string{
		"//\ta/  one\n//\t  b/ ab/ more\n": "[]",
		"//\ta/  one\n// as b/ and ab/\n":  "[a/b ab]",
		"":                                 "[a a/b ab]",
	} {
		if got, err := unnamed(tree, doc); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v %v, want %s", doc, got, err, want)
		}
	}
}
