package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// settings are those of all Envs; the script has made no Env yet.
func (r *runner) settings(l *rest) error {
	if r.setup == nil {
		return errors.New("settings come first: the endpoint has been made")
	}
	pairs := map[string]string{}
	for word := l.word(); word != ""; word = l.word() {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return l.err(l.at-len(word), fmt.Errorf("%q: want KEY=VALUE", word))
		}
		pairs[key] = value
	}
	c, err := conf.New(pairs, rpcenv.Settings)
	r.w.Conf = c
	return err
}

// send sends the endpoint a message.
func (r *runner) send(l *rest) error {
	p, err := r.peer(l, "from")
	if err != nil {
		return err
	}
	to := r.to(l)
	m, err := l.message()
	if err != nil {
		return err
	}
	p.Send(to, m)
	return nil
}

// ask asks the endpoint. The answer is in the forest; the lack of one is printed.
func (r *runner) ask(l *rest) error {
	p, err := r.peer(l, "from")
	if err != nil {
		return err
	}
	to := r.to(l)
	var opts []rpcenv.AskOption
	l.blanks()
	at := l.at
	if value, ok := l.option("timeout"); ok {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return l.err(at, fmt.Errorf("timeout=%s: want a duration, such as 5s", value))
		}
		opts = append(opts, rpcenv.Timeout("timeout", d))
	}
	m, err := l.message()
	if err != nil {
		return err
	}
	name := trace.ShortName(string(m.ProtoReflect().Descriptor().FullName()))
	p.Do(func(c *rpcenv.Context) {
		rpcenv.AskAs(c, to, m, func(_ rpcenv.Message, err error) {
			// Any other error is an answer, and in the forest.
			if errors.Is(err, rpcenv.ErrUnreachable) {
				fmt.Fprintf(&r.out, "%s has no answer to %s: %v\n", p.Ref.Name, name, err)
			}
		}, opts...)
	})
	return nil
}

// connect makes a peer look the endpoint up, by which it is connected.
func (r *runner) connect(l *rest) error {
	name := l.word()
	if name == "" {
		return errors.New("want: connect PEER")
	}
	if err := l.end(); err != nil {
		return err
	}
	p, err := r.find(name)
	switch {
	case err != nil: // connect is the one verb that may name a new peer
		p = r.w.Probe(name)
	case p.Crashed():
		p.Restart()
	}
	p.Do(func(c *rpcenv.Context) {
		rpcenv.Resolve(c, r.subject.Ref.String(), func(_ rpcenv.Ref, err error) {
			if errors.Is(err, rpcenv.ErrUnreachable) {
				fmt.Fprintf(&r.out, "%s is not connected: %v\n", name, err)
			}
		})
	})
	return nil
}

// disconnect ends a peer's process.
func (r *runner) disconnect(l *rest) error {
	p, err := r.running(l, "disconnect")
	if err != nil {
		return err
	}
	p.Crash()
	if a := r.answers[p]; a != nil {
		a.held = nil // the asks that it has kept are those of a process that is gone: reply must not answer them
	}
	return nil
}

// pause makes a peer's process stand still.
func (r *runner) pause(l *rest) error {
	p, err := r.running(l, "pause")
	if err == nil {
		r.w.Find(p.Env.Name()).Pause()
	}
	return err
}

// resume makes it go on.
func (r *runner) resume(l *rest) error {
	p, err := r.running(l, "resume")
	if err == nil {
		r.w.Find(p.Env.Name()).Resume()
	}
	return err
}

// running reads the name of a peer whose process has not ended.
func (r *runner) running(l *rest, verb string) (*rpctest.Probe, error) {
	l.blanks()
	at := l.at
	name := l.word()
	if name == "" {
		return nil, fmt.Errorf("want: %s PEER", verb)
	}
	if err := l.end(); err != nil {
		return nil, err
	}
	p, err := r.find(name)
	if err == nil {
		p, err = r.alive(p)
	}
	if err != nil {
		return nil, l.err(at, err)
	}
	return p, nil
}

// advance lets virtual time pass.
func (r *runner) advance(l *rest) error {
	d, err := l.duration()
	if err != nil {
		return err
	}
	if err := l.end(); err != nil {
		return err
	}
	r.w.Advance(d)
	return nil
}

// places prints the fields with role PLACE from now on.
func (r *runner) places(l *rest) error {
	r.printer.Places = true
	return l.end()
}

// skip leaves out of the forest, of the log and of the changes of state what followed so far.
func (r *runner) skip(l *rest) error {
	r.w.Settle()
	r.printer.Skip(r.w.Trace().Entries)
	r.said.Reset()
	of, err := r.states()
	if err != nil {
		return err
	}
	r.changed = len(of)
	return l.end()
}

// stop stops the endpoint.
func (r *runner) stop(l *rest) error {
	if err := l.end(); err != nil {
		return err
	}
	e, err := r.env()
	if err != nil {
		return err
	}
	if !e.Stop(r.subject.Ref.Name) {
		return fmt.Errorf("%s is stopped already", r.subject.Ref.Name)
	}
	return nil
}
