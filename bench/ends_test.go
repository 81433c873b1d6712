package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
)

// A process that dies is an error with its last words.
func TestAProcessThatDies(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{dies, "ended with code 7: alas, a command"},
		{mute, "ended with code 3: not a word"},
	} {
		for _, mode := range []measure.Case{measure.LocalTell, measure.RemoteTell} {
			o := options(t, mode)
			o.Args = []string{c.program}
			_, err := Run(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", c.program, mode, err)
			}
		}
	}
}

// A receiver that dies in the midst of a trial ends the trial at once, not after the trial's time.
func TestAReceiverThatDies(t *testing.T) {
	o := options(t, measure.RemoteTell)
	spec := &o.Cells[0]
	spec.Duration, spec.Contender = time.Hour, "coherer"
	r := newTestRunner(t, o)
	sender, _, err := r.start(t.Context(), program{o.Program, o.Args}, "sender")
	if err != nil {
		t.Fatal(err)
	}
	defer sender.close()
	receiver, _, err := r.start(t.Context(), program{o.Program, o.Args}, "receiver")
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.close()
	a, err := receiver.call(t.Context(), measure.Command{Serve: spec})
	if err != nil {
		t.Fatal(err)
	}
	receiver.kill()
	_, err = r.race(t.Context(), sender, receiver, measure.Command{Run: &measure.RunCommand{Spec: *spec, Address: a.Serving.Address}})
	if err == nil || !strings.Contains(err.Error(), "receiver: its process ended with code 137") {
		t.Error(err)
	}
}

// An end from outside, as by Ctrl-C, ends the processes too.
func TestCancel(t *testing.T) {
	for _, mode := range []measure.Case{measure.LocalAsk, measure.RemoteTell} {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(t, mode)
		spec := &o.Cells[0]
		spec.Duration, spec.Contender = time.Hour, "coherer"
		r := newTestRunner(t, o)
		var children []*child
		r.started = func(c *child) {
			if children = append(children, c); len(children) == 2 || !mode.Remote() {
				cancel()
			}
		}
		if _, err := r.run(ctx, program{o.Program, o.Args}, spec); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", mode, err)
		}
		for _, c := range children {
			if exit := <-c.ended; exit.Code != 0 {
				t.Errorf("%s: %s ended with code %d", mode, c.role, exit.Code)
			}
		}
	}
}

// writer is a function that gets each write.
type writer func(line string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}

// An interrupted run reports its complete rounds, cell by cell: a round with a trial of coherer alone compares nothing.
func TestAnInterruptedRunReportsItsCompleteRounds(t *testing.T) {
	for _, c := range []struct {
		after  string // the trial
		cell   int    // that it is in
		cells  []int  // the trials of each cell in the report
		text   string // that it says
		absent string // that it does not say
	}{
		{"trial 1: coherer", 1, nil, "", ""},
		{"trial 1: go-channel", 1, []int{1}, "the last 2 of 3 trials of each are missing\n", "nothing"},
		{"trial 2: coherer", 1, []int{1}, "the run ended early: 1 cell not measured\n", "nothing"},
		{"trial 3: go-channel", 1, []int{3}, "the run ended early: 1 cell not measured\n", "trials of each are missing"},
		{"trial 1: coherer", 2, []int{3}, "the run ended early: 1 cell not measured\n", "trials of each are missing"},
		{"trial 2: go-channel", 2, []int{3, 2}, "the last 1 of 3 trials of each are missing\n", "not measured\n"},
	} {
		t.Run(fmt.Sprintf("%s, cell %d", c.after, c.cell), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := options(t, measure.LocalAsk)
			o.Cells = append(o.Cells, o.Cells[0])
			o.Cells[1].InFlight = 1
			o.Trials = 3
			cell := 0
			o.Progress = writer(func(line string) {
				if strings.HasPrefix(line, "local-ask") {
					cell++
				}
				if cell == c.cell && strings.HasPrefix(line, c.after+":") {
					cancel()
				}
			})
			r, err := Run(ctx, o)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if c.cells == nil {
				if r != nil {
					t.Errorf("it reports %+v", r)
				}
				return
			}
			check(t, r, 2)
			var trials []int
			for _, cell := range r.Cells {
				trials = append(trials, cell.Trials)
			}
			var said strings.Builder
			if err := r.Write(&said, "text"); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(trials, c.cells) || r.Cut != 2-len(c.cells) || !strings.Contains(said.String(), c.text) || strings.Contains(said.String(), c.absent) {
				t.Errorf("trials %d, %d cells cut:\n%s", trials, r.Cut, said.String())
			}
		})
	}
}

// A failure of Coherer makes its cell void; the cells before it stand, and the error is returned beside them.
func TestAFailureOfOursLeavesTheCellsBeforeIt(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Cells = append(o.Cells, options(t, measure.RemoteAsk).Cells[0], o.Cells[0])
	o.Cells[2].InFlight = 1
	o.Args, o.Contenders = []string{deaf}, []string{"coherer"}
	r, err := Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "remote-ask 76B, 64 in flight, trial 1: ") || !strings.Contains(err.Error(), "deaf today") {
		t.Error(err)
	}
	if r == nil || len(r.Cells) != 1 || r.Cut != 2 {
		t.Fatalf("%+v", r)
	}
	check(t, r, 1)
	if text := written(t, r, "text"); !strings.Contains(text, "the run ended early: 2 cells not measured\n") {
		t.Errorf("got\n%s", text)
	}
}

// A cell in which Coherer failed later on is void too, complete rounds or not: something is wrong with it.
func TestAFailureOfOursInALaterTrial(t *testing.T) {
	o := options(t, measure.LocalAsk)
	program := filepath.Join(t.TempDir(), "program")
	if err := os.Symlink(o.Program, program); err != nil {
		t.Fatal(err)
	}
	o.Program, o.Contenders, o.Trials = program, []string{"coherer"}, 2
	o.Progress = writer(func(line string) {
		if strings.HasPrefix(line, "trial 1: coherer") {
			if err := os.Remove(program); err != nil {
				t.Error(err)
			}
		}
	})
	if r, err := Run(t.Context(), o); r != nil || err == nil || !strings.Contains(err.Error(), ", trial 2: ") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A rival whose process somebody kills, also one of the binary, is said and left out of its cell; the other contenders have all
// their trials, and the next cell has it again.
func TestARivalThatIsKilled(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Cells = append(o.Cells, o.Cells[0])
	o.Cells[1].InFlight = 1
	o.Contenders, o.Trials = []string{"go-channel"}, 3
	var said []string
	o.Progress = writer(func(line string) { said = append(said, line) })
	starter := process.NewStarter()
	t.Cleanup(starter.Close)
	r := &runner{opts: o, dir: t.TempDir(), starter: starter, report: newReport(&o)}
	if err := r.find(t.Context()); err != nil {
		t.Fatal(err)
	}
	processes := 0
	r.started = func(c *child) {
		if processes++; processes == 4 { // coherer, go-channel, coherer, and this one
			c.kill()
		}
	}
	if err := r.cells(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := r.report.Cells[0], r.report.Cells[1]
	if len(first.Contenders) != 1 || len(first.Contenders[0].Trials) != 3 || len(second.Contenders) != 2 {
		t.Errorf("%+v, %+v", first, second)
	}
	if m := first.Missing; len(m) != 1 || m[0].Name != "go-channel" || !strings.Contains(m[0].Why, "trial 2: ") || !strings.Contains(m[0].Why, "code 137") {
		t.Errorf("missing: %+v", m)
	}
	if !slices.ContainsFunc(said, func(line string) bool { return strings.HasPrefix(line, "trial 2: go-channel: failed: ") }) {
		t.Errorf("it said %q", said)
	}
}

func newTestRunner(t *testing.T, o Options) *runner {
	t.Helper()
	starter := process.NewStarter()
	t.Cleanup(starter.Close)
	return &runner{opts: o, dir: t.TempDir(), starter: starter, report: newReport(&o)}
}
