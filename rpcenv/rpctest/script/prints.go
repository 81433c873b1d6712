package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace"
)

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
	line := []string{name + ":"}
	for i := max(1, r.sent[name]); i < len(sent); i++ {
		line = append(line, time.Duration(sent[i]-sent[i-1]).Round(10*time.Millisecond).String())
	}
	r.print(strings.Join(line, " "))
	r.sent[name] = len(sent)
	return l.end()
}
