// Package rivalstest runs trials of contenders as their programs do, both sides in the test's process.
package rivalstest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// Cases runs a short trial of every case that each contender says it does: it obeys the control lines, and every message that is
// sent arrives.
func Cases(t *testing.T, contenders ...measure.Contender) {
	t.Helper()
	for _, contender := range contenders {
		for _, c := range contender.Cases() {
			t.Run(contender.Name()+"/"+string(c), func(t *testing.T) {
				spec := measure.Spec{Case: c, Pairs: 1, Duration: 50 * time.Millisecond, Record: measure.RecordOff}
				if c.Sized() {
					spec.Size = 1 << 10
				}
				if c.Windowed() {
					spec.InFlight = 64
				}
				trial(t, contender, spec)
			})
		}
	}
}

// elsewhere is a host that no side listens at without being told: of loopback, where Linux has all of 127.0.0.0/8.
var elsewhere = map[bool]string{true: "127.0.0.2", false: "127.0.0.1"}[runtime.GOOS == "linux"]

// Extras runs short trials of several pairs, of a rate and at another host, with those contenders that can have them.
func Extras(t *testing.T, contenders ...measure.Contender) {
	t.Helper()
	for _, contender := range contenders {
		for _, c := range contender.Cases() {
			spec := measure.Spec{Case: c, Pairs: 1, InFlight: 8, Duration: 50 * time.Millisecond, Record: measure.RecordOff}
			if c.Sized() {
				spec.Size = 76
			}
			if !c.Windowed() {
				spec.InFlight = 0
			}
			paced, paired, hosted := spec, spec, spec
			paced.Rate, paired.Pairs, hosted.Host = 200, 3, elsewhere
			for name, s := range map[string]measure.Spec{"rate": paced, "pairs": paired, "host": hosted} {
				if named := measure.NameOf(contender); named.Refuses(&s) != "" || s.Validate() != nil {
					continue
				}
				t.Run(contender.Name()+"/"+string(c)+"/"+name, func(t *testing.T) { trial(t, contender, s) })
			}
		}
	}
}

// Deep runs a short trial with more under way than sockets hold: the two sides must not wait for each other.
func Deep(t *testing.T, contender measure.Contender, c measure.Case) {
	t.Helper()
	t.Run(contender.Name()+"/"+string(c), func(t *testing.T) {
		trial(t, contender, measure.Spec{
			Case: c, Pairs: 1, Size: 64 << 10, InFlight: 512, Duration: 50 * time.Millisecond, Record: measure.RecordOff,
		})
	})
}

// trial runs spec and checks that what was sent was received.
func trial(t *testing.T, contender measure.Contender, spec measure.Spec) {
	t.Helper()
	spec.Contender = contender.Name()
	sender := start(t, contender)
	defer sender.end()
	run := measure.RunCommand{Spec: spec}
	var receiver *process
	if spec.Case.Remote() {
		receiver = start(t, contender)
		defer receiver.end()
		serving := receiver.call(measure.Command{Serve: &spec}).Serving
		if serving == nil {
			t.Fatal("it does not serve")
		}
		run.Address, run.Marks = serving.Address, serving.Marks
		if !strings.Contains(serving.Address, spec.ListenHost()) {
			t.Errorf("it serves at %s, not at %s", serving.Address, spec.ListenHost())
		}
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

// process is the program, as pipes.
type process struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func start(t *testing.T, contender measure.Contender) *process {
	t.Helper()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	p := &process{t: t, in: in, lines: bufio.NewScanner(out), ended: make(chan error, 1)}
	p.lines.Buffer(nil, measure.MaxLine)
	go func() {
		p.ended <- measure.Speak(context.Background(), inRead, outWrite, contender)
		outWrite.Close()
	}()
	if h := p.hear().Hello; h == nil || len(h.Contenders) != 1 || h.Contenders[0].Name != contender.Name() {
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
