package script

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// answers are what a peer does with what it gets, by the type of the message.
type answers struct {
	on   map[protoreflect.FullName]func(c *rpcenv.Context, m proto.Message)
	held []rpcenv.Call[rpcenv.Message]
}

// anything is the question of an ask of any type: Defer needs a question to know the type of the answer.
type anything struct{}

// ReplyType is any message.
func (anything) ReplyType() rpcenv.Message { return nil }

// of are the answers of a peer, which listens to them from now on.
func (r *runner) of(p *rpctest.Probe) *answers {
	// One listener for all verbs on: a later on of the same type replaces the earlier one.
	a := r.answers[p]
	if a == nil {
		a = &answers{on: map[protoreflect.FullName]func(*rpcenv.Context, proto.Message){}}
		r.answers[p] = a
		p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			pm, ok := m.(proto.Message)
			if !ok {
				return false
			}
			f := a.on[pm.ProtoReflect().Descriptor().FullName()]
			if f != nil {
				f(c, pm)
			}
			return f != nil
		})
	}
	return a
}

// on says what a peer does with messages of a type.
func (r *runner) on(l *rest) error {
	p, name, err := r.what(l, "on [at=PEER] MESSAGE reply|fail|hold|send ...")
	if err != nil {
		return err
	}
	f, err := r.reaction(l, p)
	if err != nil {
		return err
	}
	r.of(p).on[name] = f
	return nil
}

// off ends that: the peer does what the Subject made it do.
func (r *runner) off(l *rest) error {
	p, name, err := r.what(l, "off [at=PEER] MESSAGE")
	if err != nil {
		return err
	}
	delete(r.of(p).on, name)
	return l.end()
}

// what reads [at=PEER] MESSAGE; want is how the whole line is written.
func (r *runner) what(l *rest, want string) (*rpctest.Probe, protoreflect.FullName, error) {
	p, err := r.peer(l, "at")
	if err != nil {
		return nil, "", err
	}
	l.blanks()
	at := l.at
	name := l.word()
	if name == "" {
		return nil, "", errors.New("want: " + want)
	}
	mt, err := syntax.FindMessage(name)
	if err != nil {
		return nil, "", l.err(at, err)
	}
	return p, mt.Descriptor().FullName(), nil
}

// reaction reads what is done: reply MESSAGE(...), fail CODE TEXT, hold, send MESSAGE(...).
func (r *runner) reaction(l *rest, p *rpctest.Probe) (func(c *rpcenv.Context, m proto.Message), error) {
	l.blanks()
	at := l.at
	switch what := l.word(); what {
	case "reply":
		answer, err := l.message()
		return func(c *rpcenv.Context, m proto.Message) { rpcenv.ReplyAs(c, m, answer) }, err
	case "send":
		to := r.to(l)
		back, err := l.message()
		return func(c *rpcenv.Context, _ proto.Message) { c.Send(to, back) }, err
	case "fail":
		refusal, err := l.refusal()
		return func(c *rpcenv.Context, m proto.Message) { rpcenv.Fail(c, m, refusal) }, err
	case "hold":
		a := r.of(p)
		return func(c *rpcenv.Context, _ proto.Message) { a.held = append(a.held, rpcenv.Defer(c, anything{})) }, l.end()
	default:
		return nil, l.err(at, fmt.Errorf("%q: want reply MESSAGE(...), fail CODE TEXT, hold or send MESSAGE(...)", strings.TrimSpace(what)))
	}
}

// reply answers the ask that a peer has kept longest.
func (r *runner) reply(l *rest) error {
	p, err := r.peer(l, "at")
	if err != nil {
		return err
	}
	m, err := l.message()
	if err != nil {
		return err
	}
	return r.held(p, func(first rpcenv.Call[rpcenv.Message]) { first.Reply(m) })
}

// fail fails it.
func (r *runner) fail(l *rest) error {
	p, err := r.peer(l, "at")
	if err != nil {
		return err
	}
	refusal, err := l.refusal()
	if err != nil {
		return err
	}
	return r.held(p, func(first rpcenv.Call[rpcenv.Message]) { first.Fail(refusal) })
}

// held ends the ask that p has kept longest.
func (r *runner) held(p *rpctest.Probe, end func(rpcenv.Call[rpcenv.Message])) error {
	a := r.of(p)
	if len(a.held) == 0 {
		return fmt.Errorf("%s keeps no ask: on MESSAGE hold makes it", p.Ref.Name)
	}
	first := a.held[0]
	a.held = a.held[1:]
	p.Do(func(*rpcenv.Context) { end(first) })
	return nil
}

// refusal reads CODE TEXT, the end of the line.
func (l *rest) refusal() (refusal, err error) {
	l.blanks()
	at := l.at
	code := l.word()
	l.blanks()
	text := l.line[l.at:]
	if code == "" || text == "" {
		return nil, l.err(at, errors.New("want: fail CODE TEXT"))
	}
	return rpcenv.NewRefusal(code, text), nil
}
