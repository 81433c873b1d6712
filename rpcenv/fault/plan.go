package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Timed is a fault and when it happens, counted from the beginning of its Plan.
type Timed struct {
	At time.Duration
	Fault
}

// String is the line of a Plan.
func (t Timed) String() string { return "at " + t.At.String() + " " + t.Fault.String() }

// Plan is what goes wrong in a run, in the order of its list; at equal times too.
type Plan struct {
	// Seed and Trace name the run for which the Plan is kept: the World's seed, and a hash of its trace. Another hash in a later run
	// means that the program has changed since. Zero and empty when not known.
	Seed  uint64
	Trace string
	// Faults are the lines.
	Faults []Timed
}

// String is the text that ParsePlan reads.
func (p Plan) String() string {
	var b strings.Builder
	if p.Seed != 0 || p.Trace != "" {
		b.WriteString("plan seed=" + strconv.FormatUint(p.Seed, 10))
		if p.Trace != "" {
			b.WriteString(" trace=" + p.Trace)
		}
		b.WriteByte('\n')
	}
	for _, t := range p.Faults {
		b.WriteString(t.String() + "\n")
	}
	return b.String()
}

// Without is the Plan without the faults from i up to, not including, j.
func (p Plan) Without(i, j int) Plan {
	p.Faults = slices.Delete(slices.Clone(p.Faults), i, j)
	return p
}

// ParsePlan reads a Plan. Empty lines and those that begin with # do not count. Its error is a *SyntaxError.
func ParsePlan(text string) (Plan, error) {
	var p Plan
	begun := false
	n := 0
	for line := range strings.Lines(text) {
		n++
		ws := split(line)
		if len(ws) == 0 || strings.HasPrefix(ws[0].text, "#") {
			continue
		}
		var err error
		switch {
		case ws[0].text == "plan" && !begun: // the header comes first or not at all
			err = p.header(ws, n)
		case ws[0].text == "at":
			err = p.line(ws, n)
		default:
			err = &SyntaxError{n, ws[0].column, fmt.Sprintf("%q: want at TIME FAULT", ws[0].text)}
		}
		if err != nil {
			return Plan{}, err
		}
		begun = true
	}
	return p, nil
}

// header reads plan seed=N [trace=HASH].
func (p *Plan) header(ws []word, line int) error {
	for _, w := range ws[1:] {
		key, value, _ := strings.Cut(w.text, "=")
		switch {
		case key == "seed":
			seed, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				return &SyntaxError{line, w.column, fmt.Sprintf("seed %q: want a number", value)}
			}
			p.Seed = seed
		case key == "trace" && isName(value):
			p.Trace = value
		default:
			return &SyntaxError{line, w.column, fmt.Sprintf("%q: want plan seed=N trace=HASH", w.text)}
		}
	}
	return nil
}

// line reads at TIME FAULT.
func (p *Plan) line(ws []word, line int) error {
	q := parser{line: line, verb: ws[0]}
	if len(ws) < 3 {
		return q.fail(ws[0], "want at TIME FAULT, for example: at 1.5s cut A B")
	}
	at := q.parseDuration(ws[1], ws[1].text)
	if q.err != nil {
		return q.err
	}
	f, err := parse(ws[2:], line)
	if err != nil {
		return err
	}
	p.Faults = append(p.Faults, Timed{at, f})
	return nil
}
