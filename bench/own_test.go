package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// speaker runs contenders in the test's own process, so that the end of the test finds what they leave behind.
type speaker struct {
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func speak(t *testing.T) *speaker {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	s := &speaker{in: write, lines: bufio.NewScanner(read), ended: make(chan error, 1)}
	s.lines.Buffer(nil, measure.MaxLine)
	go func() {
		s.ended <- Speak(context.Background(), in, out)
		out.Close()
	}()
	t.Cleanup(func() {
		s.in.Close()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
	if !s.lines.Scan() { // hello
		t.Fatal("it says nothing", s.lines.Err())
	}
	return s
}

func (s *speaker) call(t *testing.T, cmd measure.Command) (a measure.Answer) {
	t.Helper()
	if err := json.NewEncoder(s.in).Encode(cmd); err != nil {
		t.Fatal(err)
	}
	if !s.lines.Scan() {
		t.Fatal("it says nothing more", s.lines.Err())
	}
	if err := json.Unmarshal(s.lines.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// shortest is a spec of a case that is over soon.
func shortest(contender string, c measure.Case) measure.Spec {
	s := measure.Spec{Contender: contender, Case: c, Pairs: 1, Duration: 5 * time.Millisecond, Record: measure.RecordOff}
	if c.Sized() {
		s.Size = 76
	}
	if c.Windowed() {
		s.InFlight = 4
	}
	return s
}

// No contender leaves a goroutine behind, at either side of any case.
func TestNothingGoesOnAfterATrial(t *testing.T) {
	for _, x := range own {
		for _, c := range x.Cases() {
			for _, pairs := range []int{1, 3} {
				spec := shortest(x.Name(), c)
				if spec.Pairs = pairs; spec.Validate() != nil {
					continue // operations have one pair
				}
				t.Run(x.Name()+"/"+string(c), func(t *testing.T) {
					run := measure.RunCommand{Spec: spec}
					if c.Remote() {
						receiver := speak(t)
						serving := receiver.call(t, measure.Command{Serve: &spec}).Serving
						if serving == nil {
							t.Fatal("it does not serve")
						}
						run.Address, run.Marks = serving.Address, serving.Marks
					}
					if a := speak(t).call(t, measure.Command{Run: &run}); a.Result == nil {
						t.Error(a.Error)
					}
				})
			}
		}
	}
}

// A receiver that is gone fails the trial at once, and nothing is left of it.
func TestAReceiverThatIsGoneFailsTheTrial(t *testing.T) {
	for _, name := range []string{"raw-tcp", "raw-tcp-in-place"} {
		for _, c := range (tcp{}).Cases() {
			t.Run(name+"/"+string(c), func(t *testing.T) {
				spec := shortest(name, c)
				spec.Duration = time.Hour
				receiver := speak(t)
				serving := receiver.call(t, measure.Command{Serve: &spec}).Serving
				if serving == nil {
					t.Fatal("it does not serve")
				}
				again := shortest("raw-tcp", measure.RemoteAsk)
				receiver.call(t, measure.Command{Serve: &again}) // ends the first one
				run := measure.RunCommand{Spec: spec, Address: serving.Address, Marks: serving.Marks}
				if a := speak(t).call(t, measure.Command{Run: &run}); a.Error == "" {
					t.Errorf("%+v", a)
				}
			})
		}
	}
}
