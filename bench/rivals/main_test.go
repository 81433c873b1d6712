package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// process is the program, as pipes.
type process struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func start(t *testing.T) *process {
	t.Helper()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	p := &process{t: t, in: in, lines: bufio.NewScanner(out), ended: make(chan error, 1)}
	p.lines.Buffer(nil, measure.MaxLine)
	go func() {
		p.ended <- measure.Speak(context.Background(), inRead, outWrite, rivals...)
		outWrite.Close()
	}()
	if h := p.hear().Hello; h == nil || len(h.Contenders) != len(rivals) {
		t.Fatalf("hello: %+v", h)
	}
	return p
}

func (p *process) hear() (a measure.Answer) {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatal("it says nothing more", p.lines.Err())
	}
	if err := json.Unmarshal(p.lines.Bytes(), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *process) call(cmd measure.Command) measure.Answer {
	p.t.Helper()
	line, err := json.Marshal(cmd)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		p.t.Fatal(err)
	}
	a := p.hear()
	if a.Error != "" {
		p.t.Fatalf("%s: %s", line, a.Error)
	}
	return a
}

func (p *process) end() {
	p.t.Helper()
	p.in.Close()
	if err := <-p.ended; err != nil {
		p.t.Error(err)
	}
}

// The program obeys the control lines, and of every rival every message sent arrives, in every case that it says it does.
func TestControl(t *testing.T) {
	for _, rival := range rivals {
		for _, c := range rival.Cases() {
			t.Run(rival.Name()+"/"+string(c), func(t *testing.T) {
				spec := measure.Spec{
					Contender: rival.Name(), Case: c, Pairs: 1, Duration: 50 * time.Millisecond, Record: measure.RecordOff,
				}
				if c.Sized() {
					spec.Size = 1 << 10
				}
				if c.Windowed() {
					spec.InFlight = 64
				}
				trial(t, spec)
			})
		}
	}
}

// Of a rival that can have several pairs or a rate, every message arrives then too.
func TestExtras(t *testing.T) {
	for _, rival := range rivals {
		for _, c := range rival.Cases() {
			spec := measure.Spec{
				Contender: rival.Name(), Case: c, Pairs: 1, InFlight: 8, Duration: 50 * time.Millisecond, Record: measure.RecordOff,
			}
			if c.Sized() {
				spec.Size = 76
			}
			if !c.Windowed() {
				spec.InFlight = 0
			}
			paced, paired := spec, spec
			paced.Rate, paired.Pairs = 200, 3
			for name, s := range map[string]measure.Spec{"rate": paced, "pairs": paired} {
				if named := measure.NameOf(rival); named.Refuses(&s) != "" || s.Validate() != nil {
					continue
				}
				t.Run(rival.Name()+"/"+string(c)+"/"+name, func(t *testing.T) { trial(t, s) })
			}
		}
	}
}

// With more under way than sockets hold, the two sides of a rival must not wait for each other.
func TestDeep(t *testing.T) {
	for _, rival := range rivals {
		for _, c := range rival.Cases() {
			if !c.Sized() || !c.Windowed() {
				continue
			}
			// Its remote writes all that waits as one message of gRPC, which takes 4 MiB: it loses these.
			if rival == measure.Contender(protoactor{}) && c.Remote() {
				continue
			}
			t.Run(rival.Name()+"/"+string(c), func(t *testing.T) {
				trial(t, measure.Spec{
					Contender: rival.Name(), Case: c, Pairs: 1, Size: 64 << 10, InFlight: 512,
					Duration: 50 * time.Millisecond, Record: measure.RecordOff,
				})
			})
		}
	}
}

// trial runs spec and checks that what was sent was received.
func trial(t *testing.T, spec measure.Spec) {
	t.Helper()
	sender := start(t)
	defer sender.end()
	run := measure.RunCommand{Spec: spec}
	var receiver *process
	if spec.Case.Remote() {
		receiver = start(t)
		defer receiver.end()
		serving := receiver.call(measure.Command{Serve: &spec}).Serving
		if serving == nil {
			t.Fatal("it does not serve")
		}
		run.Address, run.Marks = serving.Address, serving.Marks
	}
	result := sender.call(measure.Command{Run: &run}).Result
	if result == nil {
		t.Fatal("no result")
	}
	received := result.Received
	if receiver != nil {
		received = receiver.call(measure.Command{Report: true}).Report
	}
	if received == nil {
		t.Fatal("no side reports what it received")
	}
	sent := &result.Sent
	if sent.Messages == 0 || spec.Rate == 0 && sent.Elapsed < spec.Duration {
		t.Errorf("sent %d in %s", sent.Messages, sent.Elapsed)
	}
	if received.Messages != sent.Messages || received.Bytes != sent.Messages*uint64(spec.Size) || received.Fault != "" {
		t.Errorf("sent %d, received %d messages, %d bytes: %s", sent.Messages, received.Messages, received.Bytes, received.Fault)
	}
}
