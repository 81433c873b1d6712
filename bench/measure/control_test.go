package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// direct takes each message to the sink by a call, or waits until ctx ends.
type direct struct{ waits chan struct{} }

func (*direct) Name() string    { return "x" }
func (*direct) Version() string { return "v0" }

func (*direct) Cases() []Case { return []Case{LocalAsk, RemoteAsk} }

func (*direct) Serve(*Spec, []*Sink) (string, func(), error) { return "", nil, errors.New("no remote") }

func (d *direct) Run(ctx context.Context, t *Trial) error {
	if d.waits != nil {
		close(d.waits)
		<-ctx.Done()
		return ctx.Err()
	}
	for {
		m, at := t.Asks[0].Next()
		if over, err := t.Asks[0].Answered(at, t.Sinks[0].Take(m)); over || err != nil {
			return err
		}
	}
}

// speaking is a process that speaks, as pipes.
type speaking struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error
}

func speak(t *testing.T, c Contender) *speaking {
	t.Helper()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	s := &speaking{t: t, in: in, lines: bufio.NewScanner(out), ended: make(chan error, 1)}
	s.lines.Buffer(nil, MaxLine)
	go func() {
		s.ended <- Speak(context.Background(), inRead, outWrite, c)
		outWrite.Close()
		inRead.Close()
	}()
	return s
}

func (s *speaking) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *speaking) hear() (a Answer) {
	s.t.Helper()
	if !s.lines.Scan() {
		s.t.Fatal("it says nothing more", s.lines.Err())
	}
	if err := json.Unmarshal(s.lines.Bytes(), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func TestControlLines(t *testing.T) {
	s := speak(t, &direct{})
	if h := s.hear().Hello; h == nil || len(h.Contenders) != 1 || h.Contenders[0].Name != "x" || h.Contenders[0].Version != "v0" || !h.Contenders[0].Does(LocalAsk) || h.Contenders[0].Does(LocalTell) || h.GOMAXPROCS < 1 || h.Go == "" {
		t.Errorf("hello: %+v", h)
	}
	const good = `"contender":"x","case":"local-ask","pairs":1,"size":76,"in_flight":1,"duration_ns":1000,"record":"off"`
	for _, c := range []struct{ line, want string }{
		{`{}`, "none of"},
		{`{"report":true}`, "nothing is served"},
		{`{"run":{"spec":{` + strings.Replace(good, `"x"`, `"y"`, 1) + `}}}`, `no contender "y"`},
		{`{"run":{"spec":{` + strings.Replace(good, "76", "1", 1) + `}}}`, "size 1B"},
		{`{"run":{"spec":{` + good + `},"address":"127.0.0.1:1"}}`, "local ones have none"},
		{`{"serve":{` + good + `}}`, "one process"},
		{`{"run":{"spec":{` + strings.Replace(good, "local-ask", "local-tell", 1) + `}}}`, "x: it does not do local-tell"},
		{`{"serve":{` + strings.Replace(good, "local", "remote", 1) + `}}`, "no remote"},
	} {
		s.say(c.line)
		if a := s.hear(); !strings.Contains(a.Error, c.want) {
			t.Errorf("%s: %q, want %q", c.line, a.Error, c.want)
		}
	}
	s.say(`{"run":{"spec":{` + good + `}}}`)
	r := s.hear().Result
	if r == nil || r.Received == nil {
		t.Fatal("no result")
	}
	if n := r.Sent.Messages; n == 0 || r.Received.Messages != n || r.Received.Bytes != 76*n || r.Sent.Latency.Count() != n {
		t.Errorf("%+v", r)
	}
	s.in.Close()
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestTheEndOfStdinEndsATrial(t *testing.T) {
	d := &direct{waits: make(chan struct{})}
	s := speak(t, d)
	s.hear()
	s.say(`{"run":{"spec":{"contender":"x","case":"local-ask","pairs":1,"size":76,"in_flight":1,"duration_ns":3600000000000,"record":"off"}}}`)
	<-d.waits
	s.in.Close()
	if a := s.hear(); a.Error == "" {
		t.Errorf("%+v", a)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestALineThatIsNoCommandEndsIt(t *testing.T) {
	s := speak(t, &direct{})
	s.hear()
	s.say("run!")
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), `"run!"`) {
		t.Error(err)
	}
}
