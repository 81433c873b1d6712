package rpcenv_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// An Env in client mode does not listen: an endpoint that got a message from it answers over the connection that brought it.
func TestAnEnvInClientModeIsReachedOverItsConnection(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.client("B")
		if !b.Address().IsZero() {
			t.Error("it has an address:", b.Address())
		}
		answer := double(w)
		w.register(b, "Client", answer)
		var client rpcenv.Ref
		server := doer()
		inner := server.receive
		server.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			if _, ok := m.(*wrapperspb.StringValue); !ok {
				inner(c, m)
				return
			}
			client = c.Ref((rpcenv.Ref{Name: "Client"}).Proto())
			if c.Sender().IsZero() || client.Address != c.Sender() {
				t.Errorf("sender %v, ref %v", c.Sender(), client)
			}
			c.Send(client, text("hello back"))
			rpcenv.AskAs(c, client, num(21), func(r *wrapperspb.Int32Value, err error) { w.note("%d %v", r.GetValue(), err) })
			rpcenv.AskAs(c, rpcenv.Ref{Address: client.Address, Name: "Client"}, num(1), func(_ rpcenv.Message, err error) {
				w.note("by its address: unreachable %v", errors.Is(err, rpcenv.ErrUnreachable))
			})
		}
		ref := w.register(a, "E", server)
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("hello")) })
		w.await("hello back")
		w.await("42 <nil>")
		w.await("by its address: unreachable true")
		if client.String() != "spark-client://Client" {
			t.Error(client)
		}

		w.register(a, "W", &watcher{w: w})
		w.close(b)
		w.await("A: disconnected " + client.Address.String())
		w.in(a, ref, func(c *rpcenv.Context) {
			c.Send(client, text("to nobody"))
			rpcenv.AskAs(c, client, num(1), func(_ rpcenv.Message, err error) {
				w.note("dead: %v", errors.Is(err, rpcenv.ErrUnreachableDisconnected))
			})
		})
		w.await("dead: true")
		found := false
		for _, d := range w.drops() {
			found = found || strings.HasPrefix(d, "google.protobuf.StringValue: no connection: the connection of spark-client://Client is gone")
		}
		if !found {
			t.Error("the message to a dead reference is an event:", w.drops())
		}
	})
}

func TestAReferenceWithoutAddressAndConnectionReachesNobody(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.env("A")
		w.do(a, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, rpcenv.Ref{Name: "E"}, &rpc.CheckExistence{})
			if !errors.Is(err, rpcenv.ErrUnreachableDisconnected) || !strings.Contains(err.Error(), "Cannot send message to client endpoint with no listen address") {
				t.Error(err)
			}
		})
	})
}

func TestEndpointsOfAnEnvInClientModeTalkToEachOther(t *testing.T) {
	inWorlds(t, func(w *world) {
		b := w.client("B")
		ref := w.register(b, "E", double(w))
		w.do(b, func(b *rpcenv.Blocking) {
			r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(4))
			if err != nil || r.GetValue() != 8 {
				t.Error(r, err)
			}
		})
	})
}
