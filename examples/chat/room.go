package main

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/examples/chat/chatpb"
	"github.com/coherer/coherer/rpcenv"
)

// room is the endpoint Room. It sends each line of a member to all members.
type room struct{ guests []guest }

type guest struct {
	name string
	env  rpcenv.Address // the visit ends when this Env does
	ref  rpcenv.Ref
}

// errNameTaken fails a Join. It keeps its identity over the network: errors.Is finds it at the asker.
var errNameTaken = rpcenv.NewRefusal("chat.name-taken", "somebody of that name is in the room")

func (r *room) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *chatpb.Join:
		r.join(c, m)
	case *chatpb.Say:
		// The name comes from the books, not from the message: no member can speak for another, and strangers are not heard.
		if i := slices.IndexFunc(r.guests, func(g guest) bool { return g.env == c.Sender() }); i >= 0 {
			r.sendAll(c, &chatpb.Said{Name: r.guests[i].name, Text: m.GetText()})
		}
	default:
		c.Unsupported(m)
	}
}

func (r *room) join(c *rpcenv.Context, m *chatpb.Join) {
	joined := &chatpb.Joined{}
	for _, g := range r.guests {
		if g.name == m.GetName() {
			rpcenv.Fail(c, m, fmt.Errorf("%w: %s", errNameTaken, g.name))
			return
		}
		joined.Present = append(joined.Present, g.name)
	}
	rpcenv.Reply(c, m, joined)
	r.sendAll(c, &chatpb.Said{Text: m.GetName() + " comes in"})
	// Only now: the newcomer gets the list of those present, not the news of its own arrival.
	r.guests = append(r.guests, guest{m.GetName(), c.Sender(), c.Ref(m.GetMember())})
}

func (r *room) sendAll(c *rpcenv.Context, said *chatpb.Said) {
	for _, g := range r.guests {
		c.Send(g.ref, said)
	}
}

func (r *room) OnConnected(*rpcenv.Context, rpcenv.Address) {}

// OnDisconnected ends a visit: members need not say good-bye.
func (r *room) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	i := slices.IndexFunc(r.guests, func(g guest) bool { return g.env == peer })
	if i < 0 {
		return
	}
	name := r.guests[i].name
	r.guests = slices.Delete(r.guests, i, i+1)
	r.sendAll(c, &chatpb.Said{Text: name + " is gone"})
}
