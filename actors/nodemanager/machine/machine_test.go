package machine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/machine"
)

// row is what a state does with an event: "STATE: actions"; "same" is the state it was in.
type row struct{ state, event, then string }

// checkTable tries every event in every state. Whatever the table does not have must be an invalid transition that changes
// nothing.
func checkTable[M any](t *testing.T, table []row, states, events int, stateName, eventName func(int) string,
	try func(state, event int) (before, after M, state2 string, actions []Action, err error),
) {
	t.Helper()
	want := map[[2]string]string{}
	for _, r := range table {
		for s := range strings.FieldsSeq(r.state) {
			for e := range strings.FieldsSeq(r.event) {
				if _, twice := want[[2]string{s, e}]; twice {
					t.Errorf("%s %s is twice in the table", s, e)
				}
				want[[2]string{s, e}] = r.then
			}
		}
	}
	for s := range states {
		for e := range events {
			before, after, got, actions, err := try(s, e)
			k := [2]string{stateName(s), eventName(e)}
			then, legal := want[k]
			delete(want, k)
			var invalid *machine.IllegalEventError
			switch {
			case !legal:
				if !errors.As(err, &invalid) || invalid.State != k[0] || invalid.Event != k[1] || !reflect.DeepEqual(before, after) || actions != nil {
					t.Errorf("%s %s: got %v %+v %v, want an invalid transition that changes nothing", k[0], k[1], err, after, actions)
				}
			case err != nil:
				t.Errorf("%s %s: %v", k[0], k[1], err)
			default:
				text := got
				if got == k[0] {
					text = "same"
				}
				for _, a := range actions {
					text += " " + a.String()
				}
				if text != then {
					t.Errorf("%s %s: got %q, want %q", k[0], k[1], text, then)
				}
			}
		}
	}
	for k := range want {
		t.Errorf("there is no %s %s", k[0], k[1])
	}
}

func TestNamesOutOfRange(t *testing.T) {
	for _, s := range []fmt.Stringer{TellFailed + 1, Action(99), ContainerState(-1), ApplicationState(99), ResourceEventKind(99)} {
		if !strings.HasPrefix(s.String(), "number ") {
			t.Errorf("%s", s)
		}
	}
}
