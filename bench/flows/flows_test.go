package flows

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// contender does the flows.
type contender struct{}

func (contender) Name() string          { return "coherer" }
func (contender) Version() string       { return "" }
func (contender) Cases() []measure.Case { return Cases() }

func (contender) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true} }

func (contender) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	return Serve(spec, sinks[0])
}

func (contender) Run(ctx context.Context, t *measure.Trial) error { return Run(ctx, t) }

// side is one side of a trial, as it would be a process.
type side struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
}

func newSide(t *testing.T) *side {
	t.Helper()
	in, commands := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- measure.Speak(t.Context(), in, out, contender{})
		out.Close()
	}()
	t.Cleanup(func() {
		commands.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	s := &side{t: t, in: commands, lines: bufio.NewScanner(answers)}
	s.lines.Buffer(nil, measure.MaxLine)
	s.hear() // its hello
	return s
}

func (s *side) hear() (a measure.Answer) {
	s.t.Helper()
	if !s.lines.Scan() {
		s.t.Fatal("it says nothing more: ", s.lines.Err())
	}
	if err := json.Unmarshal(s.lines.Bytes(), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *side) call(cmd measure.Command) measure.Answer {
	s.t.Helper()
	text, err := json.Marshal(cmd)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(text, '\n')); err != nil {
		s.t.Fatal(err)
	}
	a := s.hear()
	if a.Error != "" {
		s.t.Fatal(a.Error)
	}
	return a
}

// short is a short trial of few peers.
func short(c measure.Case, pairs, inFlight int) measure.Spec {
	return measure.Spec{
		Contender: "coherer", Case: c, Pairs: pairs, InFlight: inFlight, WarmUp: 20 * time.Millisecond, Duration: 100 * time.Millisecond,
		Record: measure.RecordOff,
	}
}

// run runs a trial whose both sides are in this process.
func run(t *testing.T, spec measure.Spec) (*measure.Sent, *measure.Received) {
	t.Helper()
	role, peers := newSide(t), newSide(t)
	serving := role.call(measure.Command{Serve: &spec}).Serving
	r := peers.call(measure.Command{Run: &measure.RunCommand{Spec: spec, Address: serving.Address, Marks: serving.Marks}}).Result
	return &r.Sent, role.call(measure.Command{Report: true}).Report
}

// The role has handled as many operations as its peers did, in a closed loop and at a rate, recorded or not.
func TestBothSidesCountTheSame(t *testing.T) {
	for _, c := range Cases() {
		for _, x := range []struct {
			name   string
			rate   float64
			record string
		}{{"closed", 0, measure.RecordOff}, {"ring", 0, measure.RecordRing}, {"rate=200", 200, measure.RecordOff}} {
			t.Run(string(c)+"/"+x.name, func(t *testing.T) {
				spec := short(c, 10, 4)
				spec.Record, spec.Rate = x.record, x.rate
				sent, got := run(t, spec)
				if sent.Messages == 0 || got.Messages != sent.Messages || sent.Latency.Count() != sent.Messages {
					t.Errorf("%d operations, %d latencies, %d at the role", sent.Messages, sent.Latency.Count(), got.Messages)
				}
				if x.rate > 0 && sent.Messages > 21 {
					t.Errorf("%d operations in %s at %v a second", sent.Messages, spec.Duration, x.rate)
				}
			})
		}
	}
}
