package bench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// options are those of a short run by this test's own program.
func options(t *testing.T, c measure.Case) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Cells: []measure.Spec{{
			Case: c, Pairs: 1, Size: 76, InFlight: 64, Duration: 20 * time.Millisecond, Record: measure.RecordOff,
		}},
		Trials: 1, Rivals: NoRivals, Program: self, Args: []string{contender},
	}
}

// Every message sent arrives, in every mode, for sizes below and above every buffer, recorded or not.
func TestCountsAddUp(t *testing.T) {
	for _, mode := range []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk} {
		for _, c := range []struct {
			size, inFlight int
			record         string
		}{{76, 64, measure.RecordRing}, {1 << 10, 1, measure.RecordOn}, {200 << 10, 100, measure.RecordOff}} {
			t.Run(fmt.Sprintf("%s/size=%d/in-flight=%d/record=%s", mode, c.size, c.inFlight, c.record), func(t *testing.T) {
				o := options(t, mode)
				s := &o.Cells[0]
				s.Size, s.InFlight, s.Record = c.size, c.inFlight, c.record
				r, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				check(t, r, doing(mode))
			})
		}
	}
}

func check(t *testing.T, r *Report, contenders int) {
	t.Helper()
	if len(r.Cells) == 0 {
		t.Fatal("no cell")
	}
	for _, c := range r.Cells {
		checkCell(t, c, contenders)
	}
}

func checkCell(t *testing.T, c *Cell, contenders int) {
	t.Helper()
	if len(c.Contenders) != contenders || c.Contenders[0].Name != "coherer" || c.Contenders[0].Ratio != 1 {
		t.Fatalf("contenders: %+v", c.Contenders)
	}
	least := int64(c.Duration)
	if c.Case == measure.OneWay {
		least = 1 // from the first message that came, which on a busy machine is late
	}
	for _, x := range c.Contenders {
		if len(x.Trials) != c.Trials {
			t.Errorf("%s: %d trials", x.Name, len(x.Trials))
		}
		var messages, samples uint64
		for _, trial := range x.Trials {
			messages += trial.Sent
			samples += trial.Latency.Samples
			if trial.Sent == 0 || trial.Received != trial.Sent || trial.Bytes != trial.Sent*uint64(c.Size) || trial.Rate <= 0 || trial.CPU <= 0 || trial.Elapsed < least {
				t.Errorf("%s: %+v", x.Name, trial)
			}
		}
		l := x.Latency
		if c.Case.Kind() != measure.KindTell && l.Samples != messages || l.Samples == 0 || l.Samples != samples || l.P50 > l.P90 || l.P90 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Max <= 0 {
			t.Errorf("%s: %d messages, %d samples, latency %+v", x.Name, messages, samples, l)
		}
		if x.Histogram.Count() != l.Samples || x.Histogram.Max() != l.Max {
			t.Errorf("%s: the histogram has %d, %+v", x.Name, x.Histogram.Count(), l)
		}
		if x.Min > x.Median || x.Median > x.Max || x.Ratio <= 0 {
			t.Errorf("%s: %v %v %v, ratio %v", x.Name, x.Min, x.Median, x.Max, x.Ratio)
		}
	}
}

// Trials take turns within a cell, and cells follow each other.
func TestTrialsTakeTurns(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Cells = append(o.Cells, o.Cells[0])
	o.Cells[1].InFlight = 1
	o.Trials = 2
	var progress bytes.Buffer
	o.Progress = &progress
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, r, 2)
	var turns []string
	for line := range strings.Lines(progress.String()) {
		words := append(strings.Split(line, ":"), "")
		turns = append(turns, strings.TrimSpace(words[0]+words[1]))
	}
	round := "trial 1 coherer,trial 1 go-channel,trial 2 coherer,trial 2 go-channel"
	cell := " 2 trials of 2 contenders, about 2s"
	want := "bench/rivals is not measured left out by --rivals none,2 cells, about 4s in all,local-ask 76B, 64 in flight" + cell + "," + round + ",local-ask 76B, 1 in flight" + cell + "," + round
	if got := strings.Join(turns, ","); got != want {
		t.Errorf("turns: %s, want %s", got, want)
	}
	if len(r.Cells) != 2 || r.Cells[0].InFlight != 64 || r.Cells[1].InFlight != 1 {
		t.Errorf("%d cells", len(r.Cells))
	}
}

// Contenders that are not named are left out, except coherer. An unknown name is an error. A program of rivals that no name wants is not
// looked for.
func TestNamedContenders(t *testing.T) {
	t.Chdir(t.TempDir())
	o := options(t, measure.LocalAsk)
	o.Rivals, o.Contenders = "", []string{"go-channel"}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, r, 2)
	if len(r.Missing) != 0 {
		t.Errorf("missing: %+v", r.Missing)
	}
	o.Rivals, o.Contenders = NoRivals, []string{"nobody"}
	_, err = Run(t.Context(), o)
	if wrong, ok := errors.AsType[UsageError](err); !ok || !strings.Contains(wrong.Error(), `there is no contender "nobody": want some of coherer, go-channel`) {
		t.Error(err)
	}
}

// A rival's program that is missing or broken is a line of the report.
func TestMissingRivalsAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("SPARK_HOME", t.TempDir()) // without a Spark in it
	for _, c := range []struct {
		name, rivals string
		want         string
		also         []string
	}{
		{"left out", NoRivals, "left out by --rivals none", nil},
		{"no source tree", "", "name it with --rivals", []string{"hollywood", "spark", "ergo"}},
		{"no such file", "/nowhere/rivals", "no such file", nil},
		{"no program", "/etc/passwd", "/etc/passwd", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t, measure.LocalTell)
			o.Rivals = c.rivals
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			check(t, r, 2)
			name := cmp.Or(c.rivals, rivalsFolder)
			if c.rivals == NoRivals {
				name = rivalsFolder
			}
			if len(r.Missing) != len(c.also)+1 || r.Missing[0].Name != name || !strings.Contains(r.Missing[0].Why, c.want) {
				t.Errorf("missing: %+v", r.Missing)
			}
			for i, name := range c.also {
				if r.Missing[i+1].Name != name {
					t.Errorf("missing: %+v, want %s too", r.Missing, name)
				}
			}
			var text bytes.Buffer
			if err := r.Write(&text, "text"); err != nil || !strings.Contains(text.String(), name+" was not measured: "+r.Missing[0].Why) {
				t.Errorf("%v:\n%s", err, text.String())
			}
		})
	}
}

func TestOptionsNameAllThatIsWrong(t *testing.T) {
	o := options(t, "remote")
	o.Cells = append(o.Cells, o.Cells[0])
	o.Cells[1].InFlight = 0
	o.Trials = 0
	_, err := Run(t.Context(), o)
	if _, ok := errors.AsType[UsageError](err); !ok {
		t.Errorf("%T", err)
	}
	for _, want := range []string{`case "remote"`, "in flight 0", "trials 0"} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%q is not there once: %v", want, err)
		}
	}
	if _, err := Run(t.Context(), Options{Trials: 1}); err == nil || !strings.Contains(err.Error(), "nothing to measure") {
		t.Error(err)
	}
}

func TestDurationsForPeople(t *testing.T) {
	for ns, want := range map[int64]string{0: "0s", 999: "999ns", 1234: "1.23µs", 12_345_678: "12.3ms"} {
		if got := micro(ns); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}
