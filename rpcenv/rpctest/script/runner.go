package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// runner runs the blocks of a script.
type runner struct {
	w       *rpctest.World
	setup   func(w *rpctest.World) Subject // nil when it made the subject
	subject Subject
	said    *logtest.Hook // what the endpoint's process logs
	printer syntax.Printer
	answers map[*rpctest.Probe]*answers
	failed  map[string]bool // the items whose failure was printed
	changed int             // the changes of state that were printed
	sent    map[string]int  // the messages between which gaps were printed, by type
	out     strings.Builder // what verbs print, before the forest
}

func newRunner(w *rpctest.World, setup func(w *rpctest.World) Subject) *runner {
	return &runner{w: w, setup: setup, answers: map[*rpctest.Probe]*answers{}, failed: map[string]bool{}, sent: map[string]int{}}
}

// verbs are what a line can begin with. Each takes the rest of its line.
var verbs = map[string]func(*runner, *rest) error{
	"settings":   (*runner).settings,
	"send":       (*runner).send,
	"ask":        (*runner).ask,
	"on":         (*runner).on,
	"off":        (*runner).off,
	"reply":      (*runner).reply,
	"fail":       (*runner).fail,
	"connect":    (*runner).connect,
	"disconnect": (*runner).disconnect,
	"pause":      (*runner).pause,
	"resume":     (*runner).resume,
	"advance":    (*runner).advance,
	"log":        (*runner).log,
	"gaps":       (*runner).gaps,
	"places":     (*runner).places,
	"state":      (*runner).state,
	"changes":    (*runner).changes,
	"skip":       (*runner).skip,
	"stop":       (*runner).stop,
}

// block runs the lines of a block, of which the first is that of the file, and returns what they printed and what followed.
func (r *runner) block(file string, first int, lines []string) (string, error) {
	r.out.Reset()
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		l := &rest{line: line}
		l.blanks()
		begin := l.at
		verb := l.word()
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if r.setup != nil && verb != "settings" {
			r.begin()
		}
		if r.subject.Long != nil {
			l.line = l.line[:l.at] + r.subject.Long(l.line[l.at:])
		}
		if err := r.verb(verb, l); err != nil {
			if _, ok := errors.AsType[*syntax.Error](err); !ok { // the verb itself is wrong here: say so at its column
				err = syntax.In(line, begin, err)
			}
			return "", syntax.At(file, first+i, err)
		}
		r.w.Settle()
	}
	entries := r.w.Trace().Entries // from the World's beginning: the printer and failed know what was printed before
	r.failures(entries)
	r.printer.Omit = r.subject.Omit
	out := r.out.String() + r.printer.Next(entries)
	if r.subject.Short != nil {
		out = r.subject.Short(out)
	}
	return out, nil
}

// begin makes the subject.
func (r *runner) begin() {
	r.subject, r.setup = r.setup(r.w), nil
	if e, err := r.env(); err == nil {
		r.said = logtest.NewLocal(e.Log().Logger)
	}
}

// verb runs one verb.
func (r *runner) verb(name string, l *rest) error {
	if f, ok := verbs[name]; ok {
		return f(r, l)
	}
	f, ok := r.subject.Verbs[name]
	if !ok {
		return syntax.Unknown("verb", name, slices.AppendSeq(slices.Collect(maps.Keys(verbs)), maps.Keys(r.subject.Verbs)))
	}
	l.blanks()
	text, err := f(l.line[l.at:])
	r.print(text)
	return err
}

// print prints what is not empty, above the forest.
func (r *runner) print(text string) {
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		r.out.WriteString(text + "\n")
	}
}

// failures prints the failures of callbacks that no answer reports: a message that is not supported, a panic in a tick.
func (r *runner) failures(entries []trace.Entry) {
	for _, e := range entries {
		late := e.IsAnswer() && strings.HasPrefix(e.Outcome, "ignored") // it came when the ask had ended
		if e.ID == "" || e.Outcome == "" || e.Outcome == record.OutcomeDeferred || e.Form == trace.FormAsk || late || r.failed[e.ID] {
			continue
		}
		r.failed[e.ID] = true
		text, _, _ := strings.Cut(e.Outcome, "\n")
		fmt.Fprintf(&r.out, "%s failed on %s: %s\n", cmp.Or(e.At, e.To), cmp.Or(e.Type, e.Name), text)
	}
}

// rest is what of a line was not read yet.
type rest struct {
	line string
	at   int
}

func (l *rest) blanks() {
	l.at = len(l.line) - len(strings.TrimLeft(l.line[l.at:], " \t"))
}

// word reads the next word; empty at the end.
func (l *rest) word() string {
	l.blanks()
	rest := l.line[l.at:]
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	l.at += end
	return rest[:end]
}

// option reads KEY=VALUE if it is next.
func (l *rest) option(key string) (value string, ok bool) {
	l.blanks()
	if !strings.HasPrefix(l.line[l.at:], key+"=") {
		return "", false
	}
	return strings.TrimPrefix(l.word(), key+"="), true
}

// message reads a message, which is the end of the line.
func (l *rest) message() (proto.Message, error) {
	l.blanks()
	m, err := syntax.ParseMessage(l.line[l.at:])
	if err != nil {
		return nil, l.err(l.at, err)
	}
	l.at = len(l.line)
	return m, nil
}

// end wants the end of the line.
func (l *rest) end() error {
	l.blanks()
	if l.at < len(l.line) {
		return l.err(l.at, fmt.Errorf("%q is too much", l.line[l.at:]))
	}
	return nil
}

// err places what is wrong.
func (l *rest) err(at int, err error) error { return syntax.In(l.line, at, err) }

// duration reads a duration.
func (l *rest) duration() (time.Duration, error) {
	l.blanks()
	at := l.at
	word := l.word()
	d, err := time.ParseDuration(word)
	if err != nil || d <= 0 {
		return 0, l.err(at, fmt.Errorf("%q: want a duration, such as 5s or 1m30s", word))
	}
	return d, nil
}

// peer reads the option KEY=PEER: without it the first Probe is meant, which is made when it is first needed.
func (r *runner) peer(l *rest, key string) (*rpctest.Probe, error) {
	l.blanks()
	at := l.at
	name, ok := l.option(key)
	if !ok {
		if len(r.w.Probes()) == 0 {
			return r.w.Probe("Probe"), nil
		}
		return r.alive(r.w.Probes()[0])
	}
	p, err := r.find(name)
	if err != nil {
		return nil, l.err(at+len(key)+1, err)
	}
	return r.alive(p)
}

// to reads the option to=ENDPOINT: another endpoint of the Subject's process. Without it the Subject is meant.
func (r *runner) to(l *rest) rpcenv.Ref {
	ref := r.subject.Ref
	if name, ok := l.option("to"); ok {
		ref.Name = name
	}
	return ref
}

// alive refuses a peer whose process has ended.
func (r *runner) alive(p *rpctest.Probe) (*rpctest.Probe, error) {
	if p.Crashed() {
		return nil, fmt.Errorf("%s was disconnected: connect it first", p.Ref.Name)
	}
	return p, nil
}

// find is the Probe of that name, or in the Env of that name.
func (r *runner) find(name string) (*rpctest.Probe, error) {
	var names []string
	for _, p := range r.w.Probes() {
		if p.Ref.Name == name || p.Env.Name() == name {
			return p, nil
		}
		names = append(names, p.Ref.Name)
	}
	return nil, syntax.Unknown("peer", name, names)
}

// env is where the endpoint lives.
func (r *runner) env() (*rpcenv.Env, error) {
	e := r.w.EnvAt(r.subject.Ref.Address)
	if e == nil {
		return nil, errors.New("the Subject's Ref is of no Env of this World that listens")
	}
	return e, nil
}
