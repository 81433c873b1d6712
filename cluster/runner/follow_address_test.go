package runner

import (
	"context"
	"strings"
	"testing"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/transport"
)

// tracer answers with one record of a list a time; the cursor is the number of those that were read.
type tracer struct{ records []*tracepb.Record }

func (s *tracer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *tracepb.ReadTrace:
		n := byte(0)
		if len(m.GetCursor()) > 0 {
			n = m.GetCursor()[0]
		}
		read := &tracepb.TraceRead{Next: []byte{n}}
		if int(n) < len(s.records) {
			read = &tracepb.TraceRead{Records: s.records[n : n+1], Next: []byte{n + 1}, More: int(n)+1 < len(s.records), Lost: uint64(n) / 2}
		}
		rpcenv.Reply(c, m, read)
	default:
		c.Unsupported(m)
	}
}

// listening is an Env that listens, with or without a Tracer.
func listening(t *testing.T, records ...*tracepb.Record) *rpcenv.Env {
	t.Helper()
	host := transport.New(transport.Options{})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Master", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	if len(records) > 0 {
		if _, err := env.Register(tracerName, &tracer{records}); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

func TestFollowProcesses(t *testing.T) {
	sent := func(n uint64) *tracepb.Record {
		return &tracepb.Record{Kind: tracepb.Kind_SENT, Env: 1, Id: &tracepb.Id{Env: 1, N: n}, Time: n, Type: "deploy.Heartbeat"}
	}
	env := listening(t, &tracepb.Record{Kind: tracepb.Kind_ENV, Env: 1, Peer: "Master", Time: 1}, sent(1), sent(2), sent(3))
	ticks, shown, ended := make(chan time.Time), make(chan []trace.Entry), make(chan error, 1)
	var notes []error
	go func() {
		ended <- FollowProcesses(t.Context(), []rpcenv.Address{env.Address()}, ticks,
			func(tr *trace.Trace) error { shown <- tr.Entries; return nil }, func(err error) { notes = append(notes, err) })
	}()
	ticks <- time.Time{}
	if got := <-shown; len(got) != 3 || got[2].Type != "Heartbeat" || trace.Peer(got[2].From) != "Master" {
		t.Errorf("shown %+v", got)
	}
	ticks <- time.Time{}
	if got := <-shown; len(got) != 0 {
		t.Errorf("shown again: %+v", got)
	}
	env.Close()
	ticks <- time.Time{}
	if got := <-shown; len(got) != 0 {
		t.Errorf("shown after the end: %+v", got)
	}
	if err := <-ended; err != nil || len(notes) != 3 || !strings.Contains(notes[1].Error(), "faster") || !strings.Contains(notes[2].Error(), "has ended") {
		t.Errorf("ended with %v and notes %v", err, notes)
	}
}

func TestFollowProcessesRefuses(t *testing.T) {
	ticks := make(chan time.Time, 1)
	ticks <- time.Time{}
	a := listening(t).Address()
	err := FollowProcesses(t.Context(), []rpcenv.Address{a}, ticks, nil, nil)
	if err == nil || !strings.Contains(err.Error(), a.String()) || !strings.Contains(err.Error(), "endpoint Tracer") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := FollowProcesses(ctx, []rpcenv.Address{a}, nil, nil, nil); err != nil {
		t.Error("the end of the context:", err)
	}
}
