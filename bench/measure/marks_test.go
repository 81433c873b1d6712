package measure

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

// counting does operations that are nothing, and has the receiving side count them, or fewer.
type counting struct {
	direct
	sink *Sink
	miss bool
}

func (*counting) Cases() []Case { return []Case{Connect} }

func (c *counting) Serve(_ *Spec, sinks []*Sink) (string, func(), error) {
	c.sink = sinks[0]
	c.sink.Operation() // before the first batch: it counts for none
	return "there", func() {}, nil
}

func (c *counting) Run(_ context.Context, t *Trial) error {
	if t.Address != "there" {
		return errors.New("address " + t.Address)
	}
	for {
		n, at, ok := t.Ops.Next()
		if !ok {
			return errors.New("no operation")
		}
		if !c.miss || n > 0 {
			c.sink.Operation()
		}
		if over, err := t.Ops.Done(at); over || err != nil {
			return err
		}
	}
}

// The receiving side of operations counts what came between the marks of the measured batch.
func TestMarksBoundWhatIsCounted(t *testing.T) {
	for _, miss := range []bool{false, true} {
		c := &counting{miss: miss}
		receiver, sender := speak(t, c), speak(t, c)
		receiver.hear()
		sender.hear()
		s := Spec{Contender: "x", Case: Connect, Pairs: 1, InFlight: 1, Duration: 1e6, WarmUp: 1e5, Record: RecordOff}
		line := func(cmd Command) string {
			text, err := json.Marshal(cmd)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		receiver.say(line(Command{Serve: &s}))
		serving := receiver.hear().Serving
		if serving == nil || serving.Marks == "" {
			t.Fatalf("serving %+v", serving)
		}
		sender.say(line(Command{Run: &RunCommand{Spec: s, Address: serving.Address, Marks: serving.Marks}}))
		a := sender.hear()
		if a.Result == nil {
			t.Fatal(a.Error)
		}
		receiver.say(line(Command{Report: true}))
		got := receiver.hear().Report
		want := a.Result.Sent.Messages
		if miss {
			want--
		}
		if got == nil || got.Messages != want || got.Elapsed <= 0 {
			t.Errorf("sent %d, miss %v, received %+v", a.Result.Sent.Messages, miss, got)
		}
		for _, p := range []*speaking{sender, receiver} {
			p.in.Close()
			if err := <-p.ended; err != nil {
				t.Error(err)
			}
		}
	}
}

// A receiving side that is gone ends the trial at once, with the reason.
func TestARunWithoutMarksFails(t *testing.T) {
	c := &counting{}
	p := speak(t, c)
	p.hear()
	p.say(`{"run":{"spec":{"contender":"x","case":"connect","pairs":1,"in_flight":1,"duration_ns":1000,"record":"off"},"address":"there","marks":"127.0.0.1:1"}}`)
	if a := p.hear(); a.Error == "" {
		t.Errorf("%+v", a)
	}
	p.in.Close()
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}
