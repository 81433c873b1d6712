package sim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// ErrSpins is the error of Run, and of Err, when virtual time does not pass any more: endpoints send each other, or
// themselves, one message after the other, and no step takes time.
var ErrSpins = errors.New("sim: time stands still")

const (
	// defaultTurnLimit is the TurnLimit of a World that sets none.
	defaultTurnLimit = 1_000_000
	// spinWindow is how many of the last turns are counted to say what spins.
	spinWindow = 10_000
	// spinners is how many of them are named.
	spinners = 4
)

// spin counts the turns at one instant.
type spin struct {
	turns int
	seen  map[string]int // callbacks of the last turns, by what they handled; nil before
	err   error
}

// turnLimit is the TurnLimit that counts.
func (w *World) turnLimit() int {
	if w.TurnLimit == 0 {
		return defaultTurnLimit
	}
	return w.TurnLimit
}

// turn counts a step at a time; false: there were too many.
func (w *World) turn(at time.Time) bool {
	s := &w.spin
	if at.After(w.now) {
		s.restart()
	}
	s.turns++
	limit := w.turnLimit()
	switch {
	case limit < 0 || s.turns <= limit-spinWindow: // callbacks are not counted yet: that would slow every World down
	case s.turns > limit:
		s.err = fmt.Errorf("%w: %d steps at %s of virtual time: %s. Let one of them wait by After or Every, or raise World.TurnLimit",
			ErrSpins, limit, w.now.Sub(Start), s.culprits())
		return false
	case s.seen == nil:
		s.seen = map[string]int{}
	}
	return true
}

// restart is for a new instant, and for a caller that runs the World again.
func (s *spin) restart() { s.turns, s.seen = 0, nil }

// note counts a callback.
func (s *spin) note(host, endpoint, item string, m rpcenv.Message) {
	if s.seen == nil {
		return
	}
	switch {
	case item == "" && m != nil:
		item = rpcenv.TypeName(m)
	case item == "":
		item = "an answer"
	}
	s.seen[host+"/"+endpoint+" handles "+item]++
}

// culprits are those that had the most callbacks.
func (s *spin) culprits() string {
	all := slices.SortedFunc(maps.Keys(s.seen), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.seen[b], s.seen[a]), cmp.Compare(a, b))
	})
	if len(all) == 0 {
		return "a body (of Run or Env.Go) that waits for no time, or asks in vain"
	}
	return strings.Join(all[:min(len(all), spinners)], ", ")
}

// Err is why the World does nothing any more: ErrSpins, with the endpoints and what they handle; nil while it goes on.
func (w *World) Err() error { return w.spin.err }
