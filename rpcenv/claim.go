package rpcenv

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// A peer says itself at which address it listens. If every Hello were believed, anybody could end a peer: by a Hello of another
// incarnation, which ends the connections of the one before, or by one of the same incarnation, whose end would be taken for the
// peer's. So the peer is asked by the connections that are open to that address (rpc.CheckConnection). A connection of another
// incarnation stays in its handshake until they have answered. One of the same incarnation is welcome at once, since the peer may
// have lost the old connection and go on by the new one; but endpoints hear of its end only after the answers, and not at all if
// the peer says that it did not open it.

// claimTime is how long a peer may take to answer for its address. It is less than greetingTime, within which the handshake of the
// other process has to end.
const claimTime = 3 * time.Second

// admit ends the handshake of a peer that dialled: it is welcomed, refused, or held until its rivals answered.
func (c *conn) admit(request int64, welcome []byte) error {
	rivals, err := c.opened(func() {
		c.link.Send(&Envelope{Kind: KindResponse, RequestID: request, Content: welcome})
	})
	switch {
	case err != nil:
		c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: err.Error()})
		return err
	case len(rivals) == 0:
		c.prove()
		return nil
	}
	// Receive refuses whatever the peer sends before its Welcome. The handshake's clock goes on.
	c.mu.Lock()
	c.to(connHeld)
	c.mu.Unlock()
	open, living := len(rivals), (*conn)(nil)
	for _, o := range rivals {
		c.env.askOwner(o, c.id, func(answered, _ bool) {
			c.receiving.Lock()
			defer c.receiving.Unlock()
			if answered {
				living = o
			} else {
				c.silent = append(c.silent, o)
			}
			if open--; open > 0 || c.life.stage() != connHeld { // the last answer decides; c may have ended while it waited
				return
			}
			var err error
			if living != nil {
				err = c.taken(living)
				c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: err.Error()})
			} else {
				// Again from the start: another claimant may have been welcomed meanwhile, and is a rival now.
				err = c.admit(request, welcome)
			}
			if err != nil {
				c.close(err)
			}
		})
	}
	return nil
}

// prove asks the other connections of the peer whether it opened this one. c.receiving is held.
func (c *conn) prove() {
	c.doubts = len(c.beside)
	for _, o := range c.beside {
		c.env.askOwner(o, c.id, func(answered, owns bool) {
			c.receiving.Lock()
			defer c.receiving.Unlock()
			if answered && !owns { // another process opened c: its end is not the peer's
				c.doubts, c.impostor = 0, true
				c.close(c.taken(o))
				return
			}
			// c ended while it was in doubt: closed has left the report to the last answer.
			if c.doubts--; c.doubts == 0 && c.life.stage() == connEnded {
				c.reportEnd()
			}
		})
	}
	c.beside = nil
}

// contest refuses a Welcome that claims the address of another peer. It cannot be held: messages follow it. The rivals
// are asked all the same, so that those that are gone do not stand in the way of the next dial.
func (c *conn) contest(rivals []*conn) error {
	for _, o := range rivals {
		c.env.askOwner(o, c.id, func(answered, _ bool) {
			if !answered {
				o.supersede()
			}
		})
	}
	return c.taken(rivals[0])
}

func (c *conn) taken(rival *conn) error {
	return fmt.Errorf("%s is the address of %s, which is connected: if that is another process, give each an address of its own",
		c.peer, rival.way.peer)
}

// askOwner asks the peer of o whether it opened the connection of that id. then is called in no callback: it may take
// locks. A peer that has stopped, or whose connection ends, has not answered.
func (e *Env) askOwner(o *conn, id uint64, then func(answered, owns bool)) {
	p := e.newOutgoingAsk(func(res result) {
		// deliver may run under o.receiving, or that of the connection that supersedes o; then takes such a lock itself.
		e.host.After(0, func() {
			owns, err := answerAs[*rpc.Bool](res.msg, res.err)
			then(!errors.Is(err, ErrUnreachable) && !errors.Is(err, ErrRefusedStopped), owns.GetValue())
		})
	}, Timeout("claimTime", claimTime))
	q := outgoing{to: Ref{o.peer, VerifierName, o.id}, msg: &rpc.CheckConnection{Connection: id}, from: VerifierName, form: tracepb.Form_ASK}
	q.pending, q.untraced = p, true
	_ = e.send(q) // no error: it can be encoded
}
