package bench

import (
	"reflect"
	"strings"
	"testing"
)

func TestVerdicts(t *testing.T) {
	few, many := []float64{100, 101, 102}, []float64{100, 101, 102, 103, 104}
	rate, cpu := metrics[0], metrics[1]
	for _, c := range []struct {
		name     string
		m        metric
		was, now []float64
		want     string
		test     bool // by the U test
	}{
		{"equal", rate, many, many, Same, true},
		{"all higher, and higher is better", rate, many, []float64{110, 111, 112, 113}, Better, true},
		{"all lower, and higher is better", rate, many, []float64{90, 91, 92, 93}, Worse, true},
		{"all higher, and lower is better", cpu, many, []float64{110, 111, 112, 113}, Worse, true},
		{"all lower, and lower is better", cpu, many, []float64{90, 91, 92, 93}, Better, true},
		{"mixed", rate, many, []float64{90, 101.5, 102.5, 113}, Same, true},
		{"all higher, by less than a hundredth", rate, many, []float64{104.1, 102.4, 102.5, 102.6}, Same, true},
		{"three are too few for the test: apart", rate, few, []float64{110, 120, 130}, Better, false},
		{"three are too few for the test: they overlap", rate, few, []float64{102, 120, 130}, Same, false},
		{"one side with too few", rate, many, []float64{90, 91, 92}, Worse, false},
		{"one each", cpu, []float64{1}, []float64{2}, Worse, false},
		{"from nothing", cpu, []float64{0, 0, 0}, []float64{2, 2, 2}, Worse, false},
		{"nothing", cpu, []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, Same, true},
	} {
		got := c.m.change(c.was, c.now)
		if got.Verdict != c.want || (got.P != nil) != c.test {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestParseFailIf(t *testing.T) {
	for text, want := range map[string][]FailIf{
		"worse":                      {{"rate", 0}},
		"worse>5%":                   {{"rate", 0.05}},
		" worse > 2.5 % ":            {{"rate", 0.025}},
		"allocs worse,p99 worse>20%": {{"allocs", 0}, {"p99", 0.2}},
	} {
		if got, err := ParseFailIf(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":             "want [METRIC ]worse[>N%]",
		"better>5%":    "want [METRIC ]worse[>N%]",
		"worse>5":      "want [METRIC ]worse[>N%]",
		"worse<5%":     "want [METRIC ]worse[>N%]",
		"worse>-5%":    "want [METRIC ]worse[>N%]",
		"worse>5%,":    "want [METRIC ]worse[>N%]",
		"speed worse":  `no metric "speed": want one of rate, cpu, allocs, p50, p99`,
		"worse>5% p99": "want [METRIC ]worse[>N%]",
	} {
		if _, err := ParseFailIf(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
