package scenario

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/local"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	runtime "github.com/coherer/coherer/rpcenv/sim/invariant"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Lived is the outcome of a Life.
type Lived struct {
	Life
	// Hash is that of the trace: two runs with equal hashes did the same.
	Hash string `json:"hash"`
	// Did counts the script's lines by their verbs, Messages the messages that were sent, by name.
	Did      map[string]int `json:"did"`
	Messages map[string]int `json:"messages"`
	// Failovers is how often another Master began to lead.
	Failovers  int                   `json:"failovers"`
	Judged     map[invariant.ID]int  `json:"judged"`
	Violations []invariant.Violation `json:"violations,omitempty"`
	// Runtime are the rules of the runtime that were broken (package rpcenv/sim/invariant).
	Runtime []string `json:"runtime,omitempty"`
	// Command does it again.
	Command string `json:"command"`
}

// Live lives a Life. When ctx ends meanwhile, the error is its cause.
func (l *Life) Live(ctx context.Context) (*Lived, error) {
	events := l.generate()
	s := l.script(events, planOf(events))
	r, err := New(local.Sim, s.Blocks[0].Verbs[0])
	if err != nil {
		return nil, err
	}
	out := &Lived{Life: *l, Did: map[string]int{}, Messages: map[string]int{}, Command: l.command()}
	for _, line := range s.Blocks[0].Verbs {
		if c := syntax.ParseLine(line); c.Verb == "at" {
			out.Did[c.Args[1]]++
			if c.Args[1] == "elect" {
				out.Failovers++
			}
		}
	}
	_, err = r.Block(ctx, s.Blocks[0].Verbs)
	out.Violations, out.Judged = r.Violations(), r.Judged()
	records := r.world.Recorder().Records() // before Close, whose ends are no part of the life
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", l.Seed, err)
	}
	out.count(records)
	return out, nil
}

// count reads the trace.
func (l *Lived) count(records []*tracepb.Record) {
	l.Hash = runtime.Digest(records)
	for _, r := range records {
		if r.GetKind() == tracepb.Kind_SENT && (r.GetForm() == tracepb.Form_SEND || r.GetForm() == tracepb.Form_ASK) {
			l.Messages[trace.ShortName(r.GetType())]++
		}
	}
	for _, v := range runtime.Check(records, runtime.Options{Bodies: true}) {
		l.Runtime = append(l.Runtime, v.String())
	}
}

// command does a Life again.
func (l *Life) command() string {
	faults := "none"
	switch {
	case slices.Equal(l.Faults, FaultKinds):
		faults = "all"
	case len(l.Faults) > 0:
		faults = strings.Join(l.Faults, ",")
	}
	var settings strings.Builder
	for _, kv := range l.Conf {
		settings.WriteString(" --conf " + quoted(kv))
	}
	if l.YARN {
		return fmt.Sprintf("coherer sim --yarn --seed %d --workers %d --apps %d --faults %s --for %s%s", l.Seed, l.Workers, l.Apps, faults, l.For, settings.String())
	}
	return fmt.Sprintf("coherer sim --seed %d --masters %d --workers %d --apps %d --drivers %d --faults %s --for %s%s",
		l.Seed, l.Masters, l.Workers, l.Apps, l.Drivers, faults, l.For, settings.String())
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if !strings.ContainsAny(word, "\"'\\$*?[]{}()<>|&;#`!~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Holds reports whether no rule was broken.
func (l *Lived) Holds() bool { return len(l.Violations) == 0 && len(l.Runtime) == 0 }

// String is the Life on one screen.
func (l *Lived) String() string {
	var b strings.Builder
	cluster := fmt.Sprintf("%d Masters, %d Workers", l.Masters, l.Workers)
	if l.YARN {
		cluster = fmt.Sprintf("a ResourceManager, %d NodeManagers", l.Workers)
	}
	fmt.Fprintf(&b, "seed %d: %s of virtual time, %s, %d applications; hash %s\n", l.Seed, l.For, cluster, l.Apps+l.Drivers, l.Hash)
	fmt.Fprintf(&b, "  did       %s; %d failovers\n", counts(l.Did, 20), l.Failovers)
	fmt.Fprintf(&b, "  messages  %s\n", counts(l.Messages, 6))
	judged := map[string]int{}
	for id, n := range l.Judged {
		judged[string(id)] = n
	}
	fmt.Fprintf(&b, "  judged    %s\n", counts(judged, 20))
	for _, v := range l.Violations {
		fmt.Fprintf(&b, "  violated  after %s: %s\n", v.At.Sub(start), v)
	}
	for _, v := range l.Runtime {
		fmt.Fprintf(&b, "  violated  by the runtime: %s\n", v)
	}
	if l.Holds() {
		fmt.Fprintf(&b, "  holds     all rules\n")
	}
	fmt.Fprintf(&b, "  again     %s\n", l.Command)
	return b.String()
}

// counts are the most frequent of things.
func counts(n map[string]int, most int) string {
	names := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	var all []string
	for i, name := range names {
		if i == most {
			all = append(all, "…")
			break
		}
		all = append(all, fmt.Sprintf("%s %d", name, n[name]))
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}
