package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// test is one test of a program: what it takes without a mutant, and which mutants it reaches.
type test struct {
	program *program
	name    string
	took    time.Duration
	reaches map[int]bool
	broken  bool // fails without a mutant
}

// runnable are the functions of a test program that can fail.
var runnable = regexp.MustCompile(`^(Test|Example|Fuzz)`)

// skipped are tests that build and run other mutants.
var skipped = regexp.MustCompile(`^TestMutants`)

// survey runs each test once without a mutant.
func (b *bench) survey(ctx context.Context, workers int) error {
	var tests []*test
	for _, p := range b.programs {
		if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) {
			continue // go test -c writes no program for a package without tests
		}
		output, err := b.command(ctx, p, nil, "-test.list", ".").Output()
		if err != nil {
			return fmt.Errorf("the tests of %s cannot be listed: %w", p.dir, err)
		}
		for name := range strings.FieldsSeq(string(output)) {
			if runnable.MatchString(name) && !skipped.MatchString(name) {
				t := &test{program: p, name: name}
				p.tests = append(p.tests, t)
				tests = append(tests, t)
			}
		}
	}
	each(ctx, workers, tests, func(worker int, t *test) { b.surveyOne(ctx, worker, t) })
	for _, t := range tests {
		// A test that fails by itself would notice every mutant.
		if t.broken {
			fmt.Fprintf(b.out, "left out: %s %s fails, or takes over a minute, without any mutant\n", t.program.dir, t.name)
		}
	}
	return ctx.Err()
}

func (b *bench) surveyOne(ctx context.Context, worker int, t *test) {
	reached := filepath.Join(b.work, "reached-"+strconv.Itoa(worker))
	os.Remove(reached) // the file is appended to, and the worker's last test wrote it
	began := time.Now()
	err := b.command(ctx, t.program, []string{"MUTANTS_REACHED=" + reached}, "-test.run", "^"+t.name+"$", "-test.timeout", "60s").Run()
	t.took, t.broken, t.reaches = time.Since(began), err != nil, map[int]bool{}
	text, _ := os.ReadFile(reached)
	for n := range strings.FieldsSeq(string(text)) {
		k, _ := strconv.Atoi(n)
		t.reaches[k] = true
	}
}

// command runs a test program in the folder of its package, in a process group of its own and with bounded memory: a mutant
// may allocate without end.
func (b *bench) command(ctx context.Context, p *program, env []string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 16000000 2>/dev/null; exec "$0" "$@"`, p.path}, args...)...)
	c.Dir = filepath.Join(b.root, p.dir)
	c.Env = append(os.Environ(), append(env, "TMPDIR="+b.work)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	return c
}

// try runs the tests against each mutant, until the deadline if there is one.
func (b *bench) try(ctx context.Context, tried []*mutant, workers int, deadline time.Time) {
	var done atomic.Int64
	each(ctx, workers, tried, func(_ int, m *mutant) {
		if m.outcome != uncompiled && (deadline.IsZero() || time.Now().Before(deadline)) {
			began := time.Now()
			b.tryOne(ctx, m)
			m.took = time.Since(began)
		}
		if n := done.Add(1); n%250 == 0 {
			fmt.Fprintf(b.out, "%d of %d\n", n, len(tried))
		}
	})
	// Failures that a mutant caused are no inputs for later runs of the tests.
	for _, p := range b.programs {
		if !p.kept {
			os.RemoveAll(p.finds)
		}
	}
}

func (b *bench) tryOne(ctx context.Context, m *mutant) {
	m.outcome = unreached
	for _, p := range b.of[filepath.ToSlash(filepath.Dir(m.path))] {
		var reaching []*test
		for _, t := range p.tests {
			if t.reaches[m.n] && !t.broken {
				reaching = append(reaching, t)
			}
		}
		// The target's own tests come before those of other packages (see of), and within a program the quick ones first.
		slices.SortFunc(reaching, func(x, y *test) int { return int(x.took - y.took) })
		for batch := range batches(reaching) {
			m.outcome = survived
			if b.notices(ctx, m, batch) {
				return
			}
		}
	}
}

// batches yields the quick tests first: most mutants need no other.
func batches(tests []*test) func(func([]*test) bool) {
	return func(yield func([]*test) bool) {
		limit := 300 * time.Millisecond
		for len(tests) > 0 {
			n, sum := 0, time.Duration(0)
			for n < len(tests) && (n == 0 || sum < limit) {
				sum += tests[n].took
				n++
			}
			if !yield(tests[:n]) {
				return
			}
			tests, limit = tests[n:], limit*8
		}
	}
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// notices reports whether one of these tests of one program fails with the mutant on.
func (b *bench) notices(ctx context.Context, m *mutant, tests []*test) bool {
	// Eight times what the tests take without the mutant, and ten seconds more: a mutant that needs longer counts as noticed, by time.
	names, limit := make([]string, len(tests)), 10*time.Second
	for i, t := range tests {
		names[i], limit = t.name, limit+8*t.took
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var output bytes.Buffer
	c := b.command(within, tests[0].program, []string{"MUTANT=" + strconv.Itoa(m.n)},
		"-test.failfast", "-test.run", "^("+strings.Join(names, "|")+")$")
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	switch {
	case err == nil:
		return false
	case ctx.Err() != nil: // interrupted: the tests did not fail by the mutant
		m.outcome = untried
	case errors.Is(within.Err(), context.DeadlineExceeded):
		m.outcome, m.by = timedOut, names[0]
	default:
		m.outcome = killed
		if match := failedTest.FindSubmatch(output.Bytes()); match != nil {
			m.by = string(match[1])
		}
	}
	return true
}

// each calls f for all items, with as many goroutines as workers.
func each[T any](ctx context.Context, workers int, items []T, f func(worker int, item T)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				// One counter for all: a slow item holds up its own worker alone.
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				f(worker, items[i])
			}
		})
	}
	all.Wait()
}
