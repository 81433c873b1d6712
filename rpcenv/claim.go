package rpcenv

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// A peer's address is what it says. Were it believed, anybody could end a peer: by a Hello of another incarnation, which
// ends the connections of the one before, or by one of the same incarnation, whose own end is told as the peer's. So the
// connections that are open to that address are asked. One of another incarnation stays in its handshake until they
// answered. One of the same is welcome at once, since its peer may have lost the old one and go on by the new; but its end
// is told only when it is proven.

// claimTime is how long a peer may take to stand up for its address. With it a handshake stays within greetingTime.
const claimTime = 3 * time.Second

// rivalsLocked sorts the connections to the address that c claims: those of an older process, which c replaces; the rivals,
// which have to be asked before; and those of the same incarnation. The Env is locked.
func (e *Env) rivalsLocked(c *conn) (old, rivals, beside []*conn) {
	if !c.listening {
		return nil, nil, nil
	}
	for _, o := range e.peers[c.peer] {
		switch {
		case o.incarnation == c.incarnation:
			beside = append(beside, o)
		case c.reached || slices.Contains(c.silent, o):
			old = append(old, o)
		default:
			rivals = append(rivals, o)
		}
	}
	return old, rivals, beside
}

// admit ends the handshake of a peer that dialled: it is welcomed, refused, or held until its rivals answered.
func (c *conn) admit(request int64, welcome []byte) error {
	rivals, err := c.env.connected(c, func() {
		c.link.Send(&Envelope{Kind: KindResponse, RequestID: request, Content: welcome})
	})
	switch {
	case err != nil:
		c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: err.Error()})
		return err
	case len(rivals) == 0:
		c.greeted, c.held = true, false
		c.prove()
		return nil
	}
	c.held = true
	open, living := len(rivals), (*conn)(nil)
	for _, o := range rivals {
		c.env.askOwner(o, c.id, func(answered, _ bool) {
			c.turn.Lock()
			defer c.turn.Unlock()
			if answered {
				living = o
			} else {
				c.silent = append(c.silent, o)
			}
			if open--; open > 0 || c.over {
				return
			}
			var err error
			if living != nil {
				err = c.taken(living)
				c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: err.Error()})
			} else {
				err = c.admit(request, welcome)
			}
			if err != nil {
				c.close(err)
			}
		})
	}
	return nil
}

// prove asks the other connections of the peer whether it opened this one. The turn is held.
func (c *conn) prove() {
	c.doubts = len(c.beside)
	for _, o := range c.beside {
		c.env.askOwner(o, c.id, func(answered, owns bool) {
			c.turn.Lock()
			defer c.turn.Unlock()
			if answered && !owns {
				c.doubts, c.impostor = 0, true
				c.close(c.taken(o))
				return
			}
			if c.doubts--; c.doubts == 0 && c.over {
				c.tellEnd()
			}
		})
	}
	c.beside = nil
}

// tellEnd tells the endpoints of the end of c, unless another process opened it, or may have: then prove does, or nobody.
func (c *conn) tellEnd() {
	if !c.impostor && c.doubts <= 0 { // below 0: it was superseded, and answers came after
		c.env.tell(item{kind: itemDisconnected, name: "disconnected", addr: c.peer})
	}
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
		c.peer, rival.peerName)
}

// supersede ends a connection of a process that is gone.
func (c *conn) supersede() {
	why := fmt.Errorf("a new process listens at %s", c.peer)
	c.turn.Lock()
	c.doubts = 0 // the endpoints hear of its end before they hear of the new process
	c.turn.Unlock()
	c.end(why)
	c.close(why)
}

// askOwner asks the peer of o whether it opened the connection of that id. then is called in no callback: it may take
// locks. A peer that has stopped, or whose connection ends, has not answered.
func (e *Env) askOwner(o *conn, id uint64, then func(answered, owns bool)) {
	p := e.newPending([]AskOption{Timeout("claimTime", claimTime)})
	p.deliver = func(res result) {
		e.host.After(0, func() { // the caller may hold the turn of o
			owns, err := answerAs[*rpc.Bool](res)
			then(!errors.Is(err, ErrUnreachable) && !errors.Is(err, ErrRefusedStopped), owns.GetValue())
		})
	}
	q := outgoing{to: Ref{o.peer, VerifierName, o.id}, msg: &rpc.CheckConnection{Connection: id}, from: VerifierName, form: tracepb.Form_ASK}
	q.pending, q.untraced = p, true
	_ = e.send(q) // no error: it can be encoded
}

// ownsConnection reports whether this Env opened the connection of that id, whose handshake may still be under way.
func (e *Env) ownsConnection(id uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.links {
		if c.dialler && c.id == id {
			return true
		}
	}
	return false
}
