package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

func saved(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "base.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file that is no report, or one of another version, is an error that says so.
func TestReadReport(t *testing.T) {
	good := written(t, fixed(t), "json")
	r, err := ReadReport(saved(t, good))
	if err != nil || len(r.Cells) != 2 {
		t.Fatal(r, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"text":                 {written(t, fixed(t), "text"), "want a report of coherer bench -o json"},
		"half":                 {good[:len(good)/2], "want a report of coherer bench -o json"},
		"empty":                {"", "want a report"},
		"other JSON":           {`{"a":1}`, `its format is "", want "` + Format + `"`},
		"a list":               {`[]`, "want a report"},
		"version":              {strings.Replace(good, Format, "coherer-bench/9", 1), `its format is "coherer-bench/9"`},
		"histogram":            {strings.Replace(good, "HISTF", "XXXXX", 1), "histogram"},
		"types":                {strings.Replace(good, `"trials": 2`, `"trials": "2"`, 1), "want a report"},
		"no contender":         {`{"format":"` + Format + `","cells":[{}]}`, "cell 1 has no contender"},
		"null cell":            {`{"format":"` + Format + `","cells":[null]}`, "cell 1 has no contender"},
		"no rate":              {strings.Replace(good, `"median_per_second": 2000`, `"median_per_second": 0`, 1), "cell 1 has 0 a second"},
		"endless rate":         {strings.Replace(good, `"median_per_second": 2000`, `"median_per_second": 1e308`, 1), "that was not measured"},
		"percentiles":          {strings.ReplaceAll(good, `"p99_ns": 3001`, `"p99_ns": 1`), "p99 of 1 ns"},
		"a contender not run":  {`{"format":"` + Format + `","cells":[{"contenders":[{"name":"coherer"}]}]}`, "without a trial"},
		"a contender of no ..": {`{"format":"` + Format + `","cells":[{"contenders":[null]}]}`, "without a trial"},
	} {
		if _, err := ReadReport(saved(t, c.text)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "base.json: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadReport("/no/such"); err == nil {
		t.Error("a file that is not there")
	}
}

// A baseline of another case or of other settings is an error of usage before anything is measured.
func TestABaselineThatDoesNotFit(t *testing.T) {
	o := options(t, measure.RemoteAsk)
	o.Trials = 2
	same := func() *Report {
		r := fixed(t)
		r.Environment = newEnvironment(measure.RecordOff)
		r.Cells = []*Cell{fixedCell(t, o.Cells[0], map[string][]uint64{"coherer": {1, 2}})}
		return r
	}
	for name, c := range map[string]struct {
		change func(*Report)
		want   string // empty: it fits
	}{
		"same":         {func(*Report) {}, ""},
		"case":         {func(r *Report) { r.Cells[0].Case = measure.LocalAsk }, "it has no cell remote-ask 76B, 64 in flight"},
		"size":         {func(r *Report) { r.Cells[0].Size = 77 }, "it has no cell"},
		"in flight":    {func(r *Report) { r.Cells[0].InFlight = 1 }, "it has no cell"},
		"pairs":        {func(r *Report) { r.Cells[0].Pairs = 2 }, "it has no cell"},
		"rate":         {func(r *Report) { r.Cells[0].Rate = 5 }, "it has no cell"},
		"no cell":      {func(r *Report) { r.Cells = nil }, "it has no cell"},
		"duration":     {func(r *Report) { r.Cells[0].Duration = time.Hour }, "last 1h0m0s, those of this run 20ms"},
		"contender":    {func(r *Report) { r.Cells[0].Contenders[0].Name = "x" }, "has no coherer"},
		"record":       {func(r *Report) { r.Environment.Record = measure.RecordOn }, "with --record on, this run is with off"},
		"GOMAXPROCS":   {func(r *Report) { r.Environment.GOMAXPROCS = 77 }, "GOMAXPROCS 77"},
		"other trials": {func(r *Report) { r.Cells[0].Trials = 9 }, ""},
	} {
		r := same()
		c.change(r)
		o.Baseline = &Baseline{"base.json", r}
		o.Cells[0].WarmUp = 0
		err := o.validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), "baseline base.json: ") || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each contender has its changes since the baseline; one that is new has none; another processor is noted.
func TestCompare(t *testing.T) {
	spec := measure.Spec{Case: measure.RemoteAsk, Size: 1024, InFlight: 64, Pairs: 1, Duration: time.Second}
	was, now := fixed(t), fixed(t)
	was.Environment.CPU = "an old CPU"
	was.Cells = []*Cell{fixedCell(t, spec, map[string][]uint64{"coherer": {100, 101, 102, 103}})}
	now.Cells = []*Cell{fixedCell(t, spec, map[string][]uint64{"coherer": {80, 81, 82, 83}, "raw-tcp": {5, 6, 7, 8}})}
	now.compare(&Baseline{"base.json", was})
	got := now.Cells[0].Contenders[0].Changes
	if len(got) != len(metrics) || got[0].Verdict != Worse || got[0].Was != 101.5 || got[0].Now != 81.5 || got[0].P == nil || *got[0].P > 0.05 {
		t.Errorf("%+v", got)
	}
	for _, c := range got[1:] {
		if c.Verdict != Same || c.Share != 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(now.Cells[0].Contenders[1].Changes) != 0 {
		t.Error("a contender that the baseline does not have has changes")
	}
	text := written(t, now, "text")
	for _, want := range []string{"-19.7% worse", "+0.0% same", "baseline: base.json, commit abc; better or worse: ", "another machine or program: its CPU was an old CPU"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	noise := &Report{Against: &Against{}, Cells: []*Cell{{Contenders: []*Contender{
		{Changes: []Change{{Metric: "rate", Share: -0.5, Verdict: Same}, {Metric: "rate", Share: 0.5, Verdict: Better}}},
		{Changes: []Change{{Metric: "rate", Share: -0.5, Verdict: Worse}}}, // a rival
	}}}}
	if err := noise.Check([]FailIf{{"rate", 0}}); err != nil {
		t.Errorf("what is the same, better, or a rival's fails: %v", err)
	}
	for limit, want := range map[string]string{
		"worse>5%": "rate is worse than in base.json: -19.7%", "worse": "-19.7%", "worse>19.8%": "", "worse>19.6%": "-19.7%", "cpu worse,p99 worse>1%": "",
	} {
		limits, err := ParseFailIf(limit)
		if err != nil {
			t.Fatal(err)
		}
		err = now.Check(limits)
		if (err != nil) != (want != "") || err != nil && !(strings.HasPrefix(err.Error(), "remote-ask 1KiB, 64 in flight: rate") && strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", limit, err)
		}
	}
}
