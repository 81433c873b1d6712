package syntax

import (
	"reflect"
	"testing"
)

func TestParseLine(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Command
	}{
		{"", Command{}},
		{"settle", Command{Verb: "settle"}},
		{
			"cluster worlds=(sim, local) seed=1",
			Command{Verb: "cluster", Options: []Option{{"worlds", "(sim,local)"}, {"seed", "1"}}},
		},
		{
			"  submit A sleep --tasks=1 master=M spark.executor.memory=512m ",
			Command{
				Verb: "submit", Offset: 2, Args: []string{"A", "sleep", "--tasks=1"},
				Options: []Option{{"master", "M"}, {"spark.executor.memory", "512m"}},
			},
		},
		{"run W1->M:X=1 until=W1->M:Heartbeat", Command{
			Verb: "run", Args: []string{"W1->M:X=1"}, Options: []Option{{"until", "W1->M:Heartbeat"}},
		}},
		{"x a= =b", Command{Verb: "x", Args: []string{"=b"}, Options: []Option{{"a", ""}}}},
	} {
		if got := ParseLine(tt.line); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

func TestOptionsAndArguments(t *testing.T) {
	c := ParseLine("kill W1 within=3s")
	if got := c.Option("within", "30s"); got != "3s" {
		t.Error(got)
	}
	if got := c.Option("n", "1"); got != "1" {
		t.Error(got)
	}
	if err := c.Need(1, "NAME"); err != nil {
		t.Error(err)
	}
	if err := c.Need(2, "A B"); err == nil || err.Error() != "want: kill A B" {
		t.Error(err)
	}
}
