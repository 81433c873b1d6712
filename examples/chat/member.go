package main

import (
	"fmt"

	"github.com/coherer/coherer/examples/chat/chatpb"
	"github.com/coherer/coherer/rpcenv"
)

// member is the endpoint Member. It joins the room when it starts, and keeps what it hears.
type member struct {
	name    string
	room    rpcenv.Ref
	heard   []string
	waiting []rpcenv.Call[line]
}

// speak makes a member say something; next asks it for the next line that it hears. Both stay within its process.
type (
	speak struct {
		rpcenv.Local
		text string
	}
	next struct{ rpcenv.Local }
	line struct {
		rpcenv.Local
		text string
	}
)

// ReplyType gives Ask and Reply the type of the answer to next; for messages of a proto file it is generated.
func (next) ReplyType() line { return line{} }

func (p *member) OnStart(c *rpcenv.Context) {
	join := &chatpb.Join{Name: p.name, Member: c.Self().Proto()}
	rpcenv.Ask(c, p.room, join, func(joined *chatpb.Joined, err error) {
		if err != nil {
			p.hear(err.Error())
			return
		}
		p.hear(fmt.Sprint("in the room: ", joined.GetPresent()))
	})
}

func (p *member) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *chatpb.Said:
		p.said(m)
	case speak:
		c.Send(p.room, &chatpb.Say{Text: m.text})
	case next:
		// Deferred, not awaited: Receive must return, or the line that would be the answer could not come in.
		p.waiting = append(p.waiting, rpcenv.Defer(c, m))
		p.hand()
	default:
		c.Unsupported(m)
	}
}

func (p *member) said(m *chatpb.Said) {
	if m.GetName() == "" {
		p.hear(m.GetText())
		return
	}
	p.hear(m.GetName() + ": " + m.GetText())
}

func (p *member) hear(text string) {
	p.heard = append(p.heard, text)
	p.hand()
}

// hand answers the caller that waits for a line.
func (p *member) hand() {
	for ; len(p.waiting) > 0 && len(p.heard) > 0; p.waiting, p.heard = p.waiting[1:], p.heard[1:] {
		p.waiting[0].Reply(line{text: p.heard[0]})
	}
}
