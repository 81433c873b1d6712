package machine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

func TestAMoveThatIsNotAllowedChangesNothing(t *testing.T) {
	lights := Moves[light]{Kind: "light", After: map[light][]light{red: {green}}}
	world := rpctest.New(t, 1)
	state := red
	world.Probe("P").Do(func(c *rpcenv.Context) {
		if lights.Move(c, "north", &state, saving, "x") || lights.Move(c, "north", &state, red, "x") || state != red {
			t.Errorf("red becomes %s", state)
		}
		if !lights.Move(c, "north", &state, green, "cars wait") || state != green {
			t.Errorf("red becomes %s, not green", state)
		}
		if lights.Move(c, "north", &state, red, "x") || state != green {
			t.Errorf("after green comes %s", state)
		}
	})
	world.Settle()
	var got []string
	for _, e := range world.Trace().Entries {
		if e.K == trace.KindState {
			got = append(got, fmt.Sprint(e.Name, e.Subject, e.Was, e.Is, e.Why))
		}
	}
	if want := []string{fmt.Sprint("light", "north", "red", "green", "cars wait")}; !slices.Equal(got, want) {
		t.Errorf("the trace has %q, want %q", got, want)
	}
	if want := "light cannot become saving after red"; lights.Check(red, saving).Error() != want {
		t.Errorf("%v, want %s", lights.Check(red, saving), want)
	}
}
