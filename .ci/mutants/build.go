package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// switches is the file that each mutated package gets: it turns the mutants on.
//
//go:embed switches.go.txt
var switches string

// bench holds the test programs of a run.
type bench struct {
	root, work string
	out        io.Writer
	programs   []*program
	of         map[string][]*program // by the folder of a target: its own first
}

// program is the test binary of a package, with the chosen mutants compiled in.
type program struct {
	dir   string
	path  string
	tests []*test
	// finds is where rapid writes failed inputs, which later runs of the tests would try again; kept: the folder is older than this run.
	finds string
	kept  bool
}

// build compiles the test binaries. A mutant that the compiler refuses is left out, with the others of its line.
func build(ctx context.Context, root, work string, targets []target, sources []*source, tried []*mutant, o options) (*bench, error) {
	b := &bench{root: root, work: work, out: o.out, of: map[string][]*program{}}
	for _, t := range targets {
		dirs := []string{t.dir}
		if !o.own {
			dirs = append(dirs, t.tests...)
		}
		for _, dir := range dirs {
			b.of[t.dir] = append(b.of[t.dir], b.program(dir))
		}
	}
	refused := map[*mutant]bool{}
	// The compiler names only the first errors of the first package that has any, so this may take several rounds.
	for range 20 {
		overlay, err := writeOverlay(work, sources, tried, refused)
		if err != nil {
			return nil, err
		}
		output, err := b.compile(ctx, overlay)
		if err == nil {
			return b, nil
		}
		if !refuse(output, tried, refused) {
			return nil, fmt.Errorf("the mutated tree does not compile: %w\n%s", err, output)
		}
	}
	return nil, fmt.Errorf("the mutated tree does not compile without %d mutants either", len(refused))
}

func (b *bench) program(dir string) *program {
	if i := slices.IndexFunc(b.programs, func(p *program) bool { return p.dir == dir }); i >= 0 {
		return b.programs[i]
	}
	finds := filepath.Join(b.root, dir, "testdata", "rapid")
	_, err := os.Stat(finds)
	// The working tree is the user's: what rapid had written there before the run stays.
	p := &program{dir: dir, finds: finds, kept: err == nil, path: filepath.Join(b.work, strings.ReplaceAll(dir, "/", "-")+".test")}
	b.programs = append(b.programs, p)
	return p
}

func (b *bench) compile(ctx context.Context, overlay string) ([]byte, error) {
	for _, p := range b.programs {
		c := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", p.path, "./"+p.dir)
		c.Dir = b.root
		if output, err := c.CombinedOutput(); err != nil {
			return output, err
		}
	}
	return nil, nil
}

// writeOverlay writes the mutated files and the list of them that go build takes.
func writeOverlay(work string, sources []*source, tried []*mutant, refused map[*mutant]bool) (string, error) {
	replace := map[string]string{}
	written := 0
	put := func(file, text string) error {
		written++ // not the length of replace: the switches of a package are put once for each of its files
		to := filepath.Join(work, "mutated-"+strconv.Itoa(written)+".go")
		replace[file] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	for _, s := range sources {
		chosen := slices.DeleteFunc(slices.Clone(s.mutants), func(m *mutant) bool { return refused[m] || !slices.Contains(tried, m) })
		if len(chosen) == 0 {
			continue
		}
		if err := put(s.file, string(s.rewritten(chosen))); err != nil {
			return "", err
		}
		own := filepath.Join(filepath.Dir(s.file), "zz_mutants.go")
		if err := put(own, strings.Replace(switches, "package PACKAGE", "package "+s.pkg, 1)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

var errorLine = regexp.MustCompile(`(?m)^(?:\./)?(\S+\.go):(\d+):\d+: `)

// refuse marks the mutants of the lines with an error of the compiler, and reports whether any is new: else a further round is vain.
func refuse(output []byte, tried []*mutant, refused map[*mutant]bool) bool {
	before := len(refused)
	for _, match := range errorLine.FindAllSubmatch(output, -1) {
		line, _ := strconv.Atoi(string(match[2]))
		for _, m := range tried {
			if m.line == line && (m.path == string(match[1]) || strings.HasSuffix(string(match[1]), "/"+m.path)) {
				refused[m] = true
				m.outcome = uncompiled
			}
		}
	}
	return len(refused) > before
}
