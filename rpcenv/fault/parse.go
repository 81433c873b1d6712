package fault

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coherer/coherer/rpcenv/trace"
)

// SyntaxError is what is wrong in a text of faults, and where: line and column count from 1, the column in characters.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

// Error is LINE:COLUMN: PROBLEM.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem)
}

// word is a word of a line, and where it begins.
type word struct {
	text   string
	column int
}

// split divides a line into its words.
func split(line string) []word {
	var out []word
	column, begin, at := 0, -1, 0
	for i, r := range line {
		column++
		switch blank := unicode.IsSpace(r); {
		case blank && begin >= 0:
			out = append(out, word{line[begin:i], at})
			begin = -1
		case !blank && begin < 0:
			begin, at = i, column
		}
	}
	if begin >= 0 {
		out = append(out, word{line[begin:], at})
	}
	return out
}

// parser reads the arguments of one line and keeps the first error: after it the others read nothing, so that callers check once.
type parser struct {
	line int
	verb word
	err  error
}

func (p *parser) fail(at word, problem string) error {
	if p.err == nil {
		p.err = &SyntaxError{p.line, at.column, problem}
	}
	return p.err
}

func (p *parser) stop(at word, problem string) { _ = p.fail(at, problem) }

// want wants n arguments.
func (p *parser) want(args []word, n int) {
	switch {
	case len(args) > n:
		p.stop(args[n], fmt.Sprintf("%q is too much: want %s %s", args[n].text, p.verb.text, forms[Verb(p.verb.text)]))
	case len(args) < n: // the column is where the missing word would begin
		last := append([]word{p.verb}, args...)[len(args)]
		end := word{column: last.column + utf8.RuneCountInString(last.text)}
		p.stop(end, fmt.Sprintf("something is missing: want %s %s", p.verb.text, forms[Verb(p.verb.text)]))
	}
}

func (p *parser) name(args []word, i int) string {
	if p.err != nil {
		return ""
	}
	if !isName(args[i].text) {
		p.stop(args[i], fmt.Sprintf("%q is no name", args[i].text))
	}
	return args[i].text
}

func (p *parser) duration(args []word, i int) time.Duration {
	if p.err != nil {
		return 0
	}
	return p.parseDuration(args[i], args[i].text)
}

func (p *parser) parseDuration(at word, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		p.stop(at, fmt.Sprintf("%q is no duration: want for example 500ms or 1m30s", text))
	}
	return d
}

func (p *parser) number(args []word, i int) int {
	if p.err != nil {
		return 0
	}
	return p.parseNumber(args[i], args[i].text, 0)
}

func (p *parser) parseNumber(at word, text string, least int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		p.stop(at, fmt.Sprintf("%q: want a number of at least %d", text, least))
	}
	return n
}

// rule reads PATTERN [KEY=VALUE ...].
func (p *parser) rule(f *Fault, args []word) {
	if len(args) == 0 {
		p.want(args, 1)
		return
	}
	pattern, err := trace.ParseFilter(args[0].text)
	if wrong, ok := errors.AsType[*trace.FilterError](err); ok { // its column counts within the pattern
		p.stop(word{column: args[0].column + wrong.Column - 1}, wrong.Problem)
		return
	}
	f.Pattern = pattern
	seen := map[string]bool{}
	for _, a := range args[1:] {
		key, value, _ := strings.Cut(a.text, "=")
		at := word{value, a.column + utf8.RuneCountInString(key) + 1}
		if seen[key] {
			p.stop(a, fmt.Sprintf("%s comes twice", key))
		}
		seen[key] = true
		switch {
		case key == "n":
			f.N = p.parseNumber(at, value, 1)
		case key == "for":
			f.For = p.positive(at)
		case key == "by" && (f.Verb == Delay || f.Verb == Reorder):
			f.By = p.positive(at)
		case key == "p":
			f.P = p.probability(at)
		default:
			p.stop(a, fmt.Sprintf("%q is no option of %s: want %s %s", a.text, f.Verb, f.Verb, forms[f.Verb]))
		}
	}
	if f.Verb == Delay && f.By == 0 { // Reorder has a default
		p.stop(p.verb, "by is missing: want "+string(Delay)+" "+forms[Delay])
	}
}

// positive reads a duration that is not nothing.
func (p *parser) positive(at word) time.Duration {
	d := p.parseDuration(at, at.text)
	if p.err == nil && d == 0 {
		p.stop(at, "want more than nothing")
	}
	return d
}

func (p *parser) probability(at word) float64 {
	x, err := strconv.ParseFloat(at.text, 64)
	if err != nil || math.IsNaN(x) || x <= 0 || x > 1 {
		p.stop(at, fmt.Sprintf("%q: want a probability above 0, at most 1", at.text))
	}
	return x
}

// share reads a probability that may be 0.
func (p *parser) share(args []word, i int) float64 {
	if p.err != nil {
		return 0
	}
	if x, err := strconv.ParseFloat(args[i].text, 64); err == nil && x == 0 {
		return 0
	}
	return p.probability(args[i])
}

// isName reports whether s can be a name in a text of faults: one that a pattern, an option or a comment cannot be taken for.
func isName(s string) bool {
	return !strings.ContainsAny(s, ":=\"") && !strings.Contains(s, "->") && !strings.HasPrefix(s, "#") &&
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) && s != ""
}
