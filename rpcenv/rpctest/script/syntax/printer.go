package syntax

import (
	"slices"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// Printer prints what happened since it printed last: one block of a script after the other.
type Printer struct {
	// Substitute replaces ids in strings by names; nil leaves them.
	Substitute func(string) string
	// Omit reports which entries are left out, see show.Forest; nil prints all.
	Omit func(e *trace.Entry) bool
	// Places prints the fields with role PLACE too.
	Places bool

	printed map[string]bool
}

// Skip leaves out what happened so far.
func (p *Printer) Skip(entries []trace.Entry) {
	if p.printed == nil {
		p.printed = map[string]bool{}
	}
	for _, e := range entries {
		p.printed[e.ID] = true
	}
}

// Next is the forest of those of entries that were not printed yet.
func (p *Printer) Next(entries []trace.Entry) string {
	if p.printed == nil {
		p.printed = map[string]bool{}
	}
	// By ID, not by place: Merge may put an entry of this block before one that was printed.
	fresh := slices.DeleteFunc(slices.Clone(entries), func(e trace.Entry) bool { return e.ID == "" || p.printed[e.ID] })
	for _, e := range fresh {
		p.printed[e.ID] = true
	}
	return show.Forest(fresh, show.TextOptions{OmitPlace: !p.Places, Omit: p.Omit, Substitute: p.Substitute})
}
