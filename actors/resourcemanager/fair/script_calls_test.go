package fair

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
)

// call is what one line of a script comes to.
func (p *player) call(words []string) []string {
	p.t.Helper()
	args := words[1:]
	switch words[0] {
	case "scheduler":
		return p.begin(args)
	case "at":
		at, err := time.ParseDuration(args[0])
		p.now = at
		return p.failed(err)
	case "node":
		return p.failed(p.role.AddNode(p.now, NodeSpec{args[0] + ":1", args[0], args[1], p.amount(args[2])}))
	case "node-gone":
		return p.came(p.role.RemoveNode(p.now, args[0]+":1"))
	case "node-has":
		return p.failed(p.role.UpdateNodeResource(p.now, args[0]+":1", p.amount(args[1])))
	case "drain", "undrain":
		return p.failed(p.role.Drain(p.now, args[0]+":1", words[0] == "drain"))
	case "submit":
		return p.submit(args)
	case "app":
		return append(p.submit(append(args[:2:2], "u")), p.begins(append(args[:1:1], args[2:]...))...)
	case "attempt":
		return p.begins(args)
	case "end":
		return p.came(p.role.RemoveApp(p.now, p.attempt(args[0]).App), nil)
	case "end-attempt":
		return p.came(p.role.RemoveAttempt(p.now, p.attempt(args[0]), len(args) > 1))
	case "ask":
		return p.ask(args)
	case "beat":
		return p.beats(args)
	case "complete":
		end := End{ExitStatus: exitstatus.Aborted, Diagnostics: DiagnosticsExpired, Cause: Expired}
		return p.came(p.role.Complete(p.now, p.container(args[0]), end), nil)
	case "recover":
		id := p.container(args[0])
		return p.failed(p.role.Recover(p.now, Container{ID: id, Node: args[1] + ":1", Resource: p.amount(args[2]), AM: len(args) > 3}))
	}
	return p.look(words[0], args)
}

// look is what a line comes to that asks for what there is, or that is Scheduler's alone.
func (p *player) look(verb string, args []string) []string {
	p.t.Helper()
	switch verb {
	case "cluster":
		return []string{fmt.Sprintf("all %s, at most %s", shown(reflect.ValueOf(p.role.Cluster())), shown(reflect.ValueOf(p.role.MaximumAllocation(p.now, args[0]))))}
	case "live":
		return lines(p.role.Live(p.attempt(args[0])))
	case "nodes":
		return lines(p.role.Nodes())
	case "show":
		a, ok := p.role.App(p.attempt(args[0]))
		if !ok {
			return []string{"it is not there"}
		}
		return lines([]AppState{a})
	case "queues":
		return p.queueStates(func(string) bool { return true })
	case "queue":
		return p.queueStates(func(name string) bool { return name == args[0] })
	case "apps":
		return lines(p.Apps())
	case "update":
		p.Update(p.now)
		return nil
	case "pass":
		return p.came(p.ContinuousPass(p.now), nil)
	case "preempt":
		return p.came(p.Preempt(p.now), nil)
	case "next-kill":
		at, ok := p.NextKill()
		return []string{fmt.Sprint(at, " ", ok)}
	case "kill":
		return p.came(p.KillMarked(p.now), nil)
	case "why":
		reasons, ok := p.Why(p.now, p.attempt(args[0]))
		if !ok {
			return []string{"it is not there"}
		}
		return refusals(reasons)
	case "container":
		view, ok := p.WhyContainer(p.container(args[0]))
		if !ok {
			return []string{"it is not there"}
		}
		return lines([]ContainerView{view})
	case "move":
		queue, events, err := p.MoveApp(p.now, p.attempt(args[0]).App, args[1])
		if err != nil {
			return p.failed(err)
		}
		return append([]string{"to " + queue}, p.came(events, nil)...)
	case "reload":
		return p.came(p.Reload(p.now, parsed(p.t, p.conf.Faults, p.file)), nil)
	case "tidy":
		p.Tidy(p.now)
		return nil
	}
	p.t.Fatalf("no call %s", verb)
	return nil
}

// queueStates are states of queues, of whose settings the golden cases have all.
func (p *player) queueStates(which func(name string) bool) []string {
	var some []QueueState
	for _, q := range p.role.Queues() {
		if which(q.Name) {
			q.QueueSettings = QueueSettings{Name: q.Name, Parent: q.Parent, Dynamic: q.Dynamic}
			some = append(some, q)
		}
	}
	return lines(some)
}

// refusals are the reasons, each with what it is about and, in a line of its own, what helps.
func refusals(all []Refusal) (out []string) {
	for _, r := range all {
		text := r.Filter
		if r.Priority != 0 {
			text += fmt.Sprint(" of priority ", r.Priority)
		}
		if r.Nodes != 0 || len(r.On) != 0 {
			text += fmt.Sprintf(" on %d: %s", r.Nodes, strings.Join(r.On, " "))
		}
		out = append(out, text+": "+r.Reason, "- "+r.Help)
	}
	return out
}

// came is what was decided.
func (p *player) came(events []Event, err error) []string {
	if err != nil {
		return p.failed(err)
	}
	var all []string
	for _, e := range events {
		text := fmt.Sprintf("%s %s %s", e.Kind, shown(reflect.ValueOf(e.Container)), e.Node)
		if e.Kind == Runnable {
			text = "runnable"
		}
		text += " of " + shown(reflect.ValueOf(e.Attempt))
		if e.Kind == Gone {
			text += fmt.Sprintf(", %s %d %q", e.Cause, e.ExitStatus, e.Diagnostics)
		}
		e.Kind, e.Container, e.Attempt, e.Node, e.ExitStatus, e.Cause, e.Diagnostics = 0, ids.Container{}, ids.Attempt{}, "", 0, 0, ""
		if rest := shown(reflect.ValueOf(e)); rest != "{}" {
			text += " " + rest
		}
		all = append(all, text)
	}
	return all
}

// submit is "1 root.a": of user u, or "1 root.a v" of user v.
func (p *player) submit(args []string) []string {
	sub := Submission{User: "u", Queue: args[1]}
	if len(args) > 2 {
		sub.User = args[2]
	}
	queue, err := p.role.AddApp(p.now, p.attempt(args[0]).App, sub)
	if err != nil {
		return p.failed(err)
	}
	return []string{"in " + queue}
}

// begins is "1 managed keep=1.1".
func (p *player) begins(args []string) []string {
	spec := AttemptSpec{ID: p.attempt(args[0]), Unmanaged: true}
	for _, word := range args[1:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "managed":
			spec.Unmanaged = false
		case "keep":
			spec.Keep = p.attempt(value)
		}
	}
	runs, err := p.role.AddAttempt(p.now, spec)
	switch {
	case err != nil:
		return p.failed(err)
	case !runs:
		return []string{"waits"}
	}
	return []string{"runs"}
}

// ask is "1 1 * 2 1024/1", of priority 1 anywhere two, then perhaps "; 1/7 h1 1 1024/1 strict", "; release 1:1", "; block r1"
// or "; unblock r1". With nothing asked it is a call that only takes.
func (p *player) ask(args []string) []string {
	id, d := p.attempt(args[0]), Demand{}
	for part := range strings.SplitSeq(strings.Join(args[1:], " "), ";") {
		words := strings.Fields(part)
		switch {
		case len(words) == 0:
		case words[0] == "release":
			d.Release = append(d.Release, p.container(words[1]))
		case words[0] == "block":
			d.BlacklistAdd = append(d.BlacklistAdd, words[1:]...)
		case words[0] == "unblock":
			d.BlacklistRemove = append(d.BlacklistRemove, words[1:]...)
		default:
			priority, request, _ := strings.Cut(words[0], "/")
			if request == "" {
				request = "0"
			}
			d.Asks = append(d.Asks, Ask{
				Key{int32(p.number(priority)), p.number(request)}, words[1], p.amount(words[3]), p.number(words[2]), len(words) == 4,
			})
		}
	}
	g, err := p.role.Allocate(p.now, id, d)
	if err != nil {
		return p.failed(err)
	}
	out := append([]string{"headroom " + shown(reflect.ValueOf(g.Headroom))}, lines(g.Containers)...)
	if len(g.Preempt) > 0 {
		out = append(out, "preempts "+shown(reflect.ValueOf(g.Preempt)))
	}
	return append(out, p.came(g.Events, nil)...)
}

// beats is "h1 runs=1:1 ended=1:2".
func (p *player) beats(args []string) []string {
	var launched []ids.Container
	var ended []Ended
	for _, word := range args[1:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "runs":
			launched = append(launched, p.container(value))
		case "ended":
			ended = append(ended, Ended{ID: p.container(value), ExitStatus: 7, Diagnostics: "of seven"})
		}
	}
	return p.came(p.role.NodeUpdate(p.now, args[0]+":1", launched, ended))
}
