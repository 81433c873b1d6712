package rpcenv_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
)

// A peer that listens is one row, by however many connections; each client is one.
func TestWhatWaitsIsCountedForEachPeer(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	toB := w.register(b, "E", double(w))
	w.say(b, ref, "hello")
	for _, e := range []*rpcenv.Env{b, w.client("K1"), w.client("K2")} {
		w.do(e, func(blocking *rpcenv.Blocking) {
			if err := e.DialWait(blocking, a.Address()); err != nil {
				t.Error(err)
			}
		})
	}
	clients := a.Clients("C")
	for _, name := range []string{"B", "K2"} {
		w.sim.Cut("A", name)
	}
	send := func(to rpcenv.Ref) int {
		m := wrapperspb.Bytes(make([]byte, 1000))
		if err := a.Send(to, m); err != nil {
			t.Error(err)
		}
		return len(content(m))
	}
	toK2 := send(clients[1])
	there := send(toB) + send(toB)
	nowhere := rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}
	waits := send(nowhere) + send(nowhere) + send(nowhere)
	s := a.Metrics()
	want := []metrics.PeerRow{
		{Address: b.Address().String(), Name: "B", Listens: true, Connected: true, Bytes: there},
		{Address: clients[0].Address.String(), Name: "K1", Connected: true},
		{Address: clients[1].Address.String(), Name: "K2", Connected: true, Bytes: toK2},
		{Address: "10.9.9.9:1", Listens: true, Messages: 3, Bytes: waits},
	}
	for range 20 { // whatever the order of the books
		if got := a.Metrics().Peers; !slices.Equal(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	}
	if s.Open != 4 || s.Env != "A" || s.Address != a.Address().String() || !s.Time.Equal(w.sim.Now()) || s.Incarnation != w.incarnationOf(a) {
		t.Errorf("%+v", s)
	}
	var running []string
	for _, e := range s.Endpoints {
		running = append(running, fmt.Sprint(e.Name, " ", e.Running))
	}
	if got := strings.Join(running, ", "); got != "E true, endpoint-verifier true" {
		t.Error(got)
	}
	if s := w.client("K3").Metrics(); s.Address != "" {
		t.Error("a client has the address", s.Address)
	}
}

// All messages of a Go type are of one kind, but for dynamic ones, whose names differ.
func TestDynamicMessagesAreCountedByTheirNames(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
	all := []proto.Message{text("x"), num(1), num(1), text("x"), &rpc.Bool{}}
	for _, m := range all {
		all = append(all, dynamicpb.NewMessage(m.ProtoReflect().Descriptor()))
	}
	for _, m := range all {
		if err := e.Send(ref, m); err != nil {
			t.Error(err)
		}
	}
	w.quiet()
	const want = "message google.protobuf.Int32Value 4 0 4 0\nmessage google.protobuf.StringValue 4 0 4 0\nmessage rpc.Bool 2 0 2 0"
	if got := rows(e.Metrics(), "E"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
