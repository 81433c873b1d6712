package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// mutant is one change of one file: text before and after a piece of the source. The mutant's number turns it on.
type mutant struct {
	n        int
	path     string
	line     int
	key      string // what equivalent.txt calls it: file, function, kind, source
	from, to int    // the piece, as offsets
	before   string // put before it; %d is the number
	after    string
	drop     bool // the piece itself goes
	excused  bool

	outcome outcome
	by      string // the test that noticed it
	took    time.Duration
}

// outcome is the result of trying a mutant.
type outcome int

const (
	untried outcome = iota
	killed
	timedOut
	survived
	unreached  // no test runs the code
	uncompiled // the compiler refuses it
)

func (o outcome) String() string {
	return [...]string{"untried", "killed", "timed out", "survived", "unreached", "uncompiled"}[o]
}

func (m *mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.path, m.line, m.key) }

// rewritten is the text of a source with the chosen mutants in it. Changes nest as the pieces of source do: of two that begin
// at one place the longer is outside.
func (s *source) rewritten(chosen []*mutant) []byte {
	type insertion struct {
		at, rank, tie int
		text          string
	}
	var ins []insertion
	dropped := map[int]int{}
	for i, m := range chosen {
		length := m.to - m.from
		if m.drop {
			dropped[m.from] = m.to
		}
		// At one offset what ends stands before what begins; ends go from inside to outside, beginnings from outside to inside.
		ins = append(ins,
			insertion{m.from, 1 << 40, -length<<16 + i, strings.ReplaceAll(m.before, "%d", fmt.Sprint(m.n))},
			insertion{m.to, 0, length<<16 - i, strings.ReplaceAll(m.after, "%d", fmt.Sprint(m.n))})
	}
	slices.SortStableFunc(ins, func(a, b insertion) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.rank != b.rank:
			return a.rank - b.rank
		}
		return a.tie - b.tie
	})
	var out bytes.Buffer
	at := 0
	for _, i := range ins {
		out.Write(s.text[at:i.at])
		out.WriteString(i.text)
		at = i.at
		// The text before stands, and the piece itself is skipped.
		if end, ok := dropped[i.at]; ok && i.rank > 0 {
			at = end
		}
	}
	out.Write(s.text[at:])
	return out.Bytes()
}
