package machine

import (
	"fmt"
	"testing"
)

type (
	light  int
	signal int
)

const (
	red light = iota
	green
	saving
)

func (l light) String() string  { return Name(int(l), "red", "green", "saving") }
func (s signal) String() string { return Name(int(s), "turn", "stop", "saved") }

type lightRule = Rule[light, signal, bool, string]

func TestTwoRowsForTheSameAreABug(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "machine: two rows of the light for turn (false) at red (red)"; got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}()
	New("the light", []lightRule{{From: []light{red}, On: 0, To: green}}, []lightRule{{From: []light{red, green}, On: 0, To: red}})
}

// A row of the target and the case wins over one of the case, that over one of the target, and that over one of neither.
func TestTheRowThatSaysMostCounts(t *testing.T) {
	const turn, stop, saved = signal(0), signal(1), signal(2)
	m := New("the light", []lightRule{
		{From: []light{red}, On: turn, To: saving, Target: green, Do: []string{"save"}},
		{From: []light{saving}, On: saved, To: red, Do: []string{"any"}},
		{From: []light{saving}, Then: green, On: saved, To: green, Do: []string{"target"}},
		{From: []light{saving}, On: saved, When: true, To: red, Do: []string{"case"}},
		{From: []light{saving}, Then: green, On: turn, When: true, To: green, Do: []string{"both"}},
		{From: []light{saving}, On: turn, When: true, To: red, Do: []string{"case"}},
		{From: []light{saving}, On: stop, To: Stay, Do: []string{"stay"}},
	}, Late[light, signal, bool, string](green, saved))
	for _, test := range []struct {
		from, target light
		on           signal
		when         bool
		want         string
	}{
		{red, red, turn, false, "{saving green [save] false} <nil>"},
		{red, red, turn, true, "{saving green [save] false} <nil>"},
		{saving, green, saved, false, "{green red [target] false} <nil>"},
		{saving, red, saved, false, "{red red [any] false} <nil>"},
		{saving, green, saved, true, "{red red [case] false} <nil>"},
		{saving, green, turn, true, "{green red [both] false} <nil>"},
		{saving, red, turn, true, "{red red [case] false} <nil>"},
		{saving, green, stop, true, "{saving green [stay] false} <nil>"},
		{green, red, saved, false, "{green red [] true} <nil>"},
		{saving, green, turn, false, "{saving green [] false} invalid event turn at saving: the light stays as it is"},
	} {
		next, err := m.Step(test.from, test.target, test.on, test.when)
		if got := fmt.Sprint(next, " ", err); got != test.want {
			t.Errorf("%s (%s) %s %t: %s, want %s", test.from, test.target, test.on, test.when, got, test.want)
		}
	}
}

func TestANumberWithoutANameIsTheNumber(t *testing.T) {
	if got := fmt.Sprint(light(-1), saving, saving+1); got != "number -1 saving number 3" {
		t.Error(got)
	}
}
