package compare

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// Verdict is the result of comparing two traces of ours.
type Verdict struct {
	Same bool `json:"same"`
	// By says how they were compared: ByEntry or ByConversation.
	By string `json:"by"`
	// Notes say how the traces differ as a whole: in source, seed, program, version.
	Notes []string `json:"notes"`
	// Differences are none when they are the same; by entry only the first one.
	Differences []string `json:"differences"`
}

// How traces are compared.
const (
	// ByEntry: simulations of one seed must agree in every byte.
	ByEntry = "entry by entry"
	// ByConversation: what each pair of roles says; see Diff. Repeats, times, fields and what stays within one
	// process are not compared.
	ByConversation = "conversation by conversation"
)

// Traces compares two traces: entry by entry when both are simulations of one seed, else by conversation. Of each
// difference it says which of the two, A or B, has it.
func Traces(a, b *trace.Trace) Verdict {
	v := Verdict{By: ByConversation, Notes: notes(a, b), Differences: []string{}}
	if a.Source == "sim" && b.Source == "sim" && a.Seed == b.Seed {
		v.By = ByEntry
		if d := show.FirstDifference(a, b); d != nil {
			v.Differences = append(v.Differences, d.String())
			v.Notes = append(v.Notes, fmt.Sprintf("seed %d does not replay: %s", a.Seed, whyNoReplay(a, b)))
		}
	} else {
		w := words{missing: "only in A", extra: "only in B", there: "in A"}
		v.Differences = append(v.Differences, diff(FromEntries(a.Entries), FromEntries(b.Entries), nil, w)...)
	}
	v.Same = len(v.Differences) == 0
	return v
}

// notes are never nil, for JSON.
func notes(a, b *trace.Trace) []string {
	notes := []string{}
	differ := func(what, a, b string) {
		if a != b {
			notes = append(notes, fmt.Sprintf("the %s differs: %s in A, %s in B", what, orMissing(a), orMissing(b)))
		}
	}
	differ("source", a.Source, b.Source)
	if a.Source == "sim" && b.Source == "sim" {
		differ("seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))
	}
	differ("program", a.Program, b.Program)
	differ("version", a.Version, b.Version)
	differ("compat", a.Compat, b.Compat)
	return notes
}

func orMissing(s string) string {
	if s == "" {
		return "not recorded"
	}
	return s
}

// whyNoReplay says what may be the reason that one seed gave two runs.
func whyNoReplay(a, b *trace.Trace) string {
	switch {
	case a.Program != b.Program:
		return "a seed gives the same run of the same program only, and the programs differ"
	case a.Version != b.Version || a.Compat != b.Compat:
		return "a seed gives the same run of the same program only, and the versions or settings differ"
	}
	return "the program was changed between the two, or it is not a function of its seed"
}
