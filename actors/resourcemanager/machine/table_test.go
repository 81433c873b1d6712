package machine

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/machine"
)

// subject is a machine under test: its states as values, and a step in words.
type subject struct {
	file   string
	states []string
	events []string
	step   func(state, event string, when Case) (next string, actions string, err error)
}

func subjectOf[S comparable, E fmt.Stringer, A fmt.Stringer](file string, states []S, text func(S) string, events []E, step func(S, E, Case) (S, []A, error)) subject {
	s := subject{file: file}
	byText, byName := map[string]S{}, map[string]E{}
	for _, m := range states {
		s.states = append(s.states, text(m))
		byText[text(m)] = m
	}
	for _, e := range events {
		s.events = append(s.events, e.String())
		byName[e.String()] = e
	}
	s.step = func(state, event string, when Case) (string, string, error) {
		next, do, err := step(byText[state], byName[event], when)
		var words []string
		for _, a := range do {
			words = append(words, a.String())
		}
		return text(next), strings.Join(words, " "), err
	}
	return s
}

func subjects() []subject {
	var apps []App
	for _, s := range upTo(AppKilled) {
		if s != AppFinalSaving {
			apps = append(apps, App{State: s})
		}
	}
	for _, target := range []AppState{AppFinishing, AppFinished, AppFailed, AppKilled} {
		apps = append(apps, App{AppFinalSaving, target})
	}
	var attempts []Attempt
	for _, s := range upTo(AttemptKilled) {
		if s != AttemptFinalSaving {
			attempts = append(attempts, Attempt{State: s})
		}
	}
	for _, target := range []AttemptState{AttemptFinishing, AttemptFinished, AttemptFailed, AttemptKilled} {
		attempts = append(attempts, Attempt{AttemptFinalSaving, target})
	}
	var containers []Container
	for _, s := range upTo(ContainerKilled) {
		containers = append(containers, Container{s})
	}
	var nodes []Node
	for _, s := range upTo(NodeShutdown) {
		nodes = append(nodes, Node{s})
	}
	return []subject{
		subjectOf("app", apps, func(m App) string {
			if m.State == AppFinalSaving {
				return fmt.Sprintf("%s (%s)", m.State, m.Target)
			}
			return m.State.String()
		}, upTo(AppRunningOnNode), App.Step),
		subjectOf("attempt", attempts, func(m Attempt) string {
			if m.State == AttemptFinalSaving {
				return fmt.Sprintf("%s (%s)", m.State, m.Target)
			}
			return m.State.String()
		}, upTo(AttemptRecover), Attempt.Step),
		subjectOf("container", containers, func(m Container) string { return m.State.String() }, upTo(ContainerRecover), Container.Step),
		subjectOf("node", nodes, func(m Node) string { return m.State.String() }, upTo(NodeFinishedPulled), Node.Step),
	}
}

// want is what a table says of a state, an event and a case.
type want struct{ next, actions string }

// readTable reads testdata/NAME.txt: rows of a case that has none of its own are those of no case.
func readTable(t *testing.T, s subject) map[string]want {
	t.Helper()
	text, err := os.ReadFile("testdata/" + s.file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	states, events := setOf(s.states), setOf(s.events)
	rows := map[string]want{}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cell := strings.Split(line, "|")
		if len(cell) != 5 {
			t.Fatalf("%s line %d: %d cells, want 5", s.file, n+1, len(cell))
		}
		for from := range strings.SplitSeq(cell[0], ",") {
			for event := range strings.SplitSeq(cell[1], ",") {
				from, event := strings.TrimSpace(from), strings.TrimSpace(event)
				next := strings.TrimSpace(cell[3])
				if next == "same" {
					next = from
				}
				key := from + "|" + event + "|" + strings.TrimSpace(cell[2])
				if _, twice := rows[key]; twice || !states[from] || !events[event] || !states[next] {
					t.Fatalf("%s line %d: %s to %s is there twice, or nobody knows it", s.file, n+1, key, next)
				}
				rows[key] = want{next, strings.TrimSpace(cell[4])}
			}
		}
	}
	return rows
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// Every state, event and case: what the table has, and nothing else.
func TestMachinesAreTheTables(t *testing.T) {
	for _, s := range subjects() {
		rows := readTable(t, s)
		for _, state := range s.states {
			for _, event := range s.events {
				for when := Always; when <= WasKilled; when++ {
					w, legal := rows[state+"|"+event+"|"+when.String()]
					if !legal {
						w, legal = rows[state+"|"+event+"|"]
					}
					next, actions, err := s.step(state, event, when)
					var illegal *machine.IllegalEventError
					switch {
					case legal && (err != nil || next != w.next || actions != w.actions):
						t.Errorf("%s: %s %s %s: %s [%s], %v; want %s [%s]", s.file, state, event, when, next, actions, err, w.next, w.actions)
					case !legal && (!errors.As(err, &illegal) || next != state || actions != ""):
						t.Errorf("%s: %s %s %s: %s [%s], %v; want an error and no change", s.file, state, event, when, next, actions, err)
					}
				}
			}
		}
	}
}

func TestAnIllegalEventIsToldInWords(t *testing.T) {
	_, _, err := App{State: AppFinished}.Step(AppStart, Always)
	if want := "invalid event START at FINISHED: the application stays as it is"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAnApplicationMasterMayRegisterBeforeItsLaunchIsAnswered(t *testing.T) {
	m, actions, err := Attempt{State: AttemptAllocated}.Step(AttemptRegister, Always)
	if err != nil || m.State != AttemptRunning || fmt.Sprint(actions) != "[TellRegistered]" {
		t.Fatal(m, actions, err)
	}
	for late, want := range map[AttemptEvent]string{AttemptLaunch: "[WatchAM]", AttemptLaunchFailed: "[]"} {
		if next, actions, err := m.Step(late, Always); err != nil || next != m || fmt.Sprint(actions) != want {
			t.Error(late, next, actions, err)
		}
	}
}

// No event, in any order, changes an ended machine; and Over holds for the ends alone.
func TestNoStateFollowsAnEnd(t *testing.T) {
	overs := map[string]func(string) bool{
		"app": overOf(AppKilled, AppState.Over), "attempt": overOf(AttemptKilled, AttemptState.Over),
		"container": overOf(ContainerKilled, ContainerState.Over), "node": overOf(NodeShutdown, NodeState.Over),
	}
	ends := map[string]bool{
		"FINISHED": true, "FAILED": true, "KILLED": true, "COMPLETED": true, "EXPIRED": true, "RELEASED": true,
		"DECOMMISSIONED": true, "LOST": true, "REBOOTED": true, "SHUTDOWN": true,
	}
	for _, s := range subjects() {
		for _, state := range s.states {
			if name, _, _ := strings.Cut(state, " "); overs[s.file](name) != ends[name] {
				t.Errorf("%s: %s is over: %v, want %v", s.file, name, !ends[name], ends[name])
			}
			for _, event := range s.events {
				for when := Always; when <= WasKilled; when++ {
					if next, _, _ := s.step(state, event, when); ends[state] && next != state {
						t.Errorf("%s: %s after %s by %s", s.file, next, state, event)
					}
				}
			}
		}
	}
}

// overOf is a machine's Over, by the name of the state.
func overOf[S interface {
	~int
	fmt.Stringer
}](last S, over func(S) bool) func(string) bool {
	byName := map[string]bool{}
	for _, s := range upTo(last) {
		byName[s.String()] = over(s)
	}
	return func(name string) bool { return byName[name] }
}

func TestANumberWithoutANameIsTheNumber(t *testing.T) {
	if got := fmt.Sprint(NodeState(-2), NodeShutdown, NodeShutdown+1); got != "number -2 SHUTDOWN number 8" {
		t.Error(got)
	}
}

// upTo are the numbers up to last.
func upTo[N ~int](last N) []N {
	all := make([]N, 0, last+1)
	for n := N(0); n <= last; n++ {
		all = append(all, n)
	}
	return all
}
