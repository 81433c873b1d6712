package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rules is the source in testdata, with its mutants.
func rules(t *testing.T) *source {
	t.Helper()
	file := filepath.Join("testdata", "rules.go.txt")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := new(types.Config).Check("rules", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	s, err := readSource("testdata", file, f, fset, info)
	if err != nil {
		t.Fatal(err)
	}
	number([]*source{s})
	return s
}

func TestEachRuleHasItsMutants(t *testing.T) {
	var got []string
	for _, m := range rules(t).mutants {
		got = append(got, strings.TrimPrefix(m.key, "rules.go.txt: "))
	}
	want := []string{
		"place: statement left out: free[best] -= want",
		"place: loop left out: { if cores >= want && (best < 0 || spread && free[best] < cores) { best = i } }",
		"place: condition always holds: cores >= want && (best < 0 || spread && free[best] < cores)",
		"place: condition never holds: cores >= want && (best < 0 || spread && free[best] < cores)",
		"place: clause left out: cores >= want",
		"place: clause left out: (best < 0 || spread && free[best] < cores)",
		"place: boundary moved: cores >= want",
		"place: clause left out: best < 0",
		"place: clause left out: spread && free[best] < cores",
		"place: boundary moved: best < 0",
		"place: clause left out: spread",
		"place: clause left out: free[best] < cores",
		"place: boundary moved: free[best] < cores",
		"place: statement left out: best = i",
		"place: condition always holds: best < 0",
		"place: condition never holds: best < 0",
		"place: boundary moved: best < 0 (2)",
		"place: field left out: cores: min(want, 8)",
		"place: field left out: node: name(best)",
		"place: max for min: min(want, 8)",
		"name: condition always holds: i == 0",
		"name: condition never holds: i == 0",
		"full: comparison turned: len(free) == 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the mutants are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// All mutants stand in one text that compiles, and keep the lines.
func TestTheRewrittenSourceCompiles(t *testing.T) {
	s := rules(t)
	text := s.rewritten(s.mutants)
	if got, want := strings.Count(string(text), "\n"), strings.Count(string(s.text), "\n"); got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{"rules.go": string(text), "switches.go": strings.Replace(switches, "PACKAGE", "rules", 1)} {
		f, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		files = append(files, f)
	}
	if _, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("rules", fset, files, nil); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	for _, piece := range []string{
		"for i, cores := range free { if mutant(2) { break }; ",
		"if (mutant(15) || ((!mutant(16) && ((best < 0 || mutant(17) && best == 0)",
		"if !mutant(1) { free[best] -= want }",
		"cores: mutantZero(18, mutantPick(20, min(want, 8), max(want, 8))), node: mutantZero(19, name(best))",
		"return (mutant(23) != (len(free) == 0))",
	} {
		if !strings.Contains(string(text), piece) {
			t.Errorf("no %s in\n%s", piece, text)
		}
	}
}

func TestARowForNoMutantIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "equivalent.txt")
	row := "actors/hadoop/token/token.go: Open: condition never holds: false -- nothing sees it\n"
	if err := os.WriteFile(file, []byte("# a comment\n\n"+row), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := readExcused(file)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutant{key: "actors/hadoop/token/token.go: Open: condition never holds: false"}
	if err := rows.mark([]*mutant{m}, targets); err != nil || !m.excused {
		t.Errorf("excused %v, %v", m.excused, err)
	}
	if err := rows.mark(nil, targets); err == nil || !strings.Contains(err.Error(), m.key) {
		t.Errorf("a stale row gives %v", err)
	}
	if err := os.WriteFile(file, []byte("a key without a reason -- \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readExcused(file); err == nil {
		t.Error("a row without a reason is taken")
	}
}

func TestASampleDependsOnItsSeedAlone(t *testing.T) {
	names := func(seed uint64) (names []string) {
		chosen, err := choose(nil, options{sample: 10, spread: 5, seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chosen {
			names = append(names, c.dir)
		}
		return names
	}
	if first := names(7); len(first) != 5 || !slices.Equal(first, names(7)) || slices.Equal(first, names(8)) {
		t.Errorf("samples of 7, 7 and 8: %v, %v, %v", first, names(7), names(8))
	}
	if _, err := choose([]string{"actors/nobody"}, options{}); err == nil {
		t.Error("an unknown package is taken")
	}
}

// Comments are no part of the names of mutants, nor of the source that mutants repeat on one line.
func TestCommentsAreBlanks(t *testing.T) {
	const text = "if a && // first\n\tb { /* x\ny */ s = \"// no comment\" }"
	want := "if a &&         \n\tb {     \n     s = \"// no comment\" }"
	if got := string(withoutComments([]byte(text))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
