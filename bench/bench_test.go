package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/cluster/process"
)

// options are those of a short run by this test's own program.
func options(t *testing.T, c measure.Case) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Spec: measure.Spec{
			Case: c, Pairs: 1, Size: 76, InFlight: 64, Duration: 50 * time.Millisecond, Record: measure.RecordOff,
		},
		Trials: 1, Rivals: NoRivals, Program: self, Args: []string{contender},
	}
}

// messageCases are those of one pair.
var messageCases = []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk}

// Every message sent arrives, in every mode, for sizes below and above every buffer, recorded or not.
func TestCountsAddUp(t *testing.T) {
	for _, mode := range messageCases {
		for _, c := range []struct {
			size, inFlight int
			record         string
		}{{76, 64, measure.RecordRing}, {1 << 10, 1, measure.RecordOn}, {200 << 10, 100, measure.RecordOff}} {
			t.Run(fmt.Sprintf("%s/size=%d/in-flight=%d/record=%s", mode, c.size, c.inFlight, c.record), func(t *testing.T) {
				o := options(t, mode)
				o.Spec.Size, o.Spec.InFlight, o.Spec.Record = c.size, c.inFlight, c.record
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				check(t, r, 2)
			})
		}
	}
}

func check(t *testing.T, r *Report, contenders int) {
	t.Helper()
	if len(r.Contenders) != contenders || r.Contenders[0].Name != "coherer" || r.Contenders[0].Ratio != 1 {
		t.Fatalf("contenders: %+v", r.Contenders)
	}
	for _, c := range r.Contenders {
		if len(c.Trials) != r.Trials {
			t.Errorf("%s: %d trials", c.Name, len(c.Trials))
		}
		var messages uint64
		for _, trial := range c.Trials {
			messages += trial.Sent
			if trial.Sent == 0 || trial.Received != trial.Sent || trial.Bytes != trial.Sent*uint64(r.Size) || trial.Rate <= 0 || trial.CPU <= 0 || trial.Elapsed < r.Duration {
				t.Errorf("%s: %+v", c.Name, trial)
			}
		}
		l := c.Latency
		if r.Case.Ask() && l.Samples != messages || l.Samples == 0 || l.P50 > l.P90 || l.P90 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Max <= 0 {
			t.Errorf("%s: %d messages, latency %+v", c.Name, messages, l)
		}
		if c.Min > c.Median || c.Median > c.Max || c.Ratio <= 0 {
			t.Errorf("%s: %v %v %v, ratio %v", c.Name, c.Min, c.Median, c.Max, c.Ratio)
		}
	}
}

// Trials take turns, and each has its place in the median.
func TestTrialsTakeTurns(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Trials = 3
	var progress bytes.Buffer
	o.Progress = &progress
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, r, 2)
	var turns []string
	for line := range strings.Lines(progress.String()) {
		turn, _, _ := strings.Cut(line, ":")
		_, name, _ := strings.Cut(line, ": ")
		name, _, _ = strings.Cut(name, ":")
		turns = append(turns, turn+" "+name)
	}
	want := "trial 1 coherer,trial 1 go-channel,trial 2 coherer,trial 2 go-channel,trial 3 coherer,trial 3 go-channel"
	if got := strings.Join(turns, ","); got != want {
		t.Errorf("turns: %s", got)
	}
}

// A rival's program that is missing or broken is a line of the report.
func TestMissingRivalsAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name, rivals string
		args         []string
		want         string
	}{
		{"left out", NoRivals, nil, "left out by --rivals none"},
		{"no source tree", "", nil, "name it with --rivals"},
		{"no such file", "/nowhere/rivals", nil, "no such file"},
		{"no program", "/etc/passwd", nil, "/etc/passwd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t, measure.LocalTell)
			o.Rivals = c.rivals
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, r, 2)
			if len(r.Missing) != 1 || r.Missing[0].Name != "protoactor" || !strings.Contains(r.Missing[0].Why, c.want) {
				t.Errorf("missing: %+v", r.Missing)
			}
			var text bytes.Buffer
			if err := r.Print(&text); err != nil || !strings.Contains(text.String(), "protoactor was not measured: "+r.Missing[0].Why) {
				t.Errorf("%v:\n%s", err, text.String())
			}
		})
	}
}

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
	o.Spec.Duration = time.Hour
	o.Spec.Contender = "coherer"
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
	a, err := receiver.call(t.Context(), measure.Command{Serve: &o.Spec})
	if err != nil {
		t.Fatal(err)
	}
	receiver.process.Kill(0)
	_, err = r.race(t.Context(), sender, receiver, measure.Command{Run: &measure.RunCommand{Spec: o.Spec, Address: a.Serving.Address}})
	if err == nil || !strings.Contains(err.Error(), "receiver: its process ended with code 137") {
		t.Error(err)
	}
}

// An end from outside, as by Ctrl-C, ends the processes too.
func TestCancel(t *testing.T) {
	for _, mode := range []measure.Case{measure.LocalAsk, measure.RemoteTell} {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(t, mode)
		o.Spec.Duration = time.Hour
		o.Spec.Contender = "coherer"
		r := newTestRunner(t, o)
		var children []*child
		r.started = func(c *child) {
			if children = append(children, c); len(children) == 2 || !mode.Remote() {
				cancel()
			}
		}
		if _, err := r.run(ctx, program{o.Program, o.Args}, &o.Spec); !errors.Is(err, context.Canceled) {
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

// An interrupted run reports its complete rounds: a round with a trial of coherer alone compares nothing.
func TestAnInterruptedRunReportsItsCompleteRounds(t *testing.T) {
	for at, complete := range map[string]int{"trial 1: coherer": 0, "trial 1: go-channel": 1, "trial 2: coherer": 1, "trial 2: go-channel": 2} {
		t.Run(at, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := options(t, measure.LocalAsk)
			o.Trials = 3
			o.Progress = writer(func(line string) {
				if strings.HasPrefix(line, at+":") {
					cancel()
				}
			})
			r, err := Run(ctx, o)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if complete == 0 {
				if r != nil {
					t.Errorf("it reports %+v", r)
				}
				return
			}
			check(t, r, 2)
			var said strings.Builder
			if err := r.Print(&said); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("interrupted: the last %d of 3 trials of each are missing\n", 3-complete)
			if r.Trials != complete || r.Cut != 3-complete || !strings.Contains(said.String(), want) {
				t.Errorf("%d trials, %d cut:\n%s", r.Trials, r.Cut, said.String())
			}
		})
	}
}

func newTestRunner(t *testing.T, o Options) *runner {
	t.Helper()
	starter := process.NewStarter()
	t.Cleanup(starter.Close)
	return &runner{opts: o, dir: t.TempDir(), starter: starter, report: newReport(&o)}
}

func TestOptionsNameAllThatIsWrong(t *testing.T) {
	o := options(t, "remote")
	o.Trials = 0
	_, err := Run(t.Context(), o)
	if _, ok := errors.AsType[UsageError](err); !ok || !strings.Contains(err.Error(), `case "remote"`) || !strings.Contains(err.Error(), "trials 0") {
		t.Error(err)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0.00", 1.234: "1.23", 12.34: "12.3", 123.4: "123", 999.4: "999", 999.6: "1.00k", 12345: "12.3k", 999_600: "1.00M", 7.83e6: "7.83M", 1.5e12: "1500G",
	} {
		if got := short(n); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
	for ns, want := range map[int64]string{0: "0s", 999: "999ns", 1234: "1.23µs", 12_345_678: "12.3ms"} {
		if got := micro(ns); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}
