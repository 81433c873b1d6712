package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
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

// log prints what the endpoint's process has logged since the verb was used last, as far as it begins with a text, with its level
// unless that is info and the fields that not every line has.
func (r *runner) log(l *rest) error {
	l.blanks()
	for _, e := range r.said.AllEntries() {
		if !strings.HasPrefix(e.Message, l.line[l.at:]) {
			continue
		}
		level := ""
		if e.Level != logrus.InfoLevel {
			level = " " + e.Level.String()
		}
		line := []byte("log" + level + ": " + e.Message)
		for _, key := range slices.Sorted(maps.Keys(e.Data)) {
			if key != "env" && key != "endpoint" {
				line = fmt.Appendf(line, " %s=%v", key, e.Data[key])
			}
		}
		r.print(string(line))
	}
	r.said.Reset()
	return nil
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

// state prints the endpoint's state.
func (r *runner) state(l *rest) error {
	l.blanks()
	what := l.line[l.at:]
	text := ""
	if r.subject.State != nil {
		text = r.subject.State(what)
	} else {
		of, err := r.states()
		if err != nil {
			return err
		}
		text = recorded(of, what)
	}
	r.print(cmp.Or(text, "no state"))
	return nil
}

// changes prints the changes of state that the endpoint's process recorded since the verb was used last.
func (r *runner) changes(l *rest) error {
	of, err := r.states()
	if err != nil {
		return err
	}
	for _, e := range of[r.changed:] {
		r.print(fmt.Sprintf("%s %s: %s > %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why))
	}
	r.changed = len(of)
	return l.end()
}

// states are the records of states of all endpoints in the endpoint's process.
func (r *runner) states() (of []trace.Entry, err error) {
	e, err := r.env()
	if err != nil {
		return nil, err
	}
	for _, s := range r.w.Trace().Entries {
		process, _, _ := strings.Cut(trace.Peer(s.At), "#") // of its later lives too
		if s.K == trace.KindState && process == e.Name() && trace.EndpointOf(s.At) != "" {
			of = append(of, s)
		}
	}
	return of, nil
}

// recorded is the last state of each thing in records, in the order of their first ones.
func recorded(states []trace.Entry, kind string) string {
	type thing struct{ kind, id string }
	var order []thing
	last := map[thing]string{}
	for _, e := range states {
		if kind != "" && e.Name != kind {
			continue
		}
		k := thing{e.Name, e.Subject}
		if _, ok := last[k]; !ok {
			order = append(order, k)
		}
		last[k] = e.Is
	}
	var b strings.Builder
	for _, k := range order {
		fmt.Fprintf(&b, "%s %s %s\n", k.kind, k.id, last[k])
	}
	return b.String()
}

// gaps prints the times between the messages of a type that the endpoint sent, since the verb was used last. They are rounded to
// 10 ms: an answer between two messages is under way for 2 ms at most.
func (r *runner) gaps(l *rest) error {
	l.blanks()
	at := l.at
	mt, err := syntax.FindMessage(l.word())
	if err != nil {
		return l.err(at, err)
	}
	name := trace.ShortName(string(mt.Descriptor().FullName()))
	var sent []int64
	for _, e := range r.w.Trace().Entries {
		if e.K == trace.KindMsg && e.Type == name && !e.IsAnswer() && trace.EndpointOf(e.From) == r.subject.Ref.Name {
			sent = append(sent, e.Sent)
		}
	}
	line := name + ":"
	for i := max(1, r.sent[name]); i < len(sent); i++ {
		line += " " + time.Duration(sent[i]-sent[i-1]).Round(10*time.Millisecond).String()
	}
	r.print(line)
	r.sent[name] = len(sent)
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
