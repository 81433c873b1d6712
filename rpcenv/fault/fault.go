package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Verb is what a fault does.
type Verb string

// The verbs, by their words in scripts. Their meaning is said in the package's comment.
const (
	Cut       Verb = "cut"
	Heal      Verb = "heal"
	Delay     Verb = "delay"
	Lose      Verb = "lose"
	Latency   Verb = "latency"
	Drop      Verb = "drop"
	Duplicate Verb = "duplicate"
	Reorder   Verb = "reorder"
	Pause     Verb = "pause"
	Resume    Verb = "resume"
	Kill      Verb = "kill"
	Vanish    Verb = "vanish"
	Restart   Verb = "restart"
	Reset     Verb = "reset"
	Cost      Verb = "cost"
	Threads   Verb = "threads"
)

// forms is how the arguments of each verb are written.
var forms = map[Verb]string{
	Cut:       "A B [oneway]",
	Heal:      "A B [oneway]",
	Delay:     "A B DURATION, or FROM->TO:MESSAGE by=DURATION [n=N] [for=DURATION] [p=P]",
	Lose:      "A B P [oneway]",
	Latency:   "MIN MAX",
	Drop:      "FROM->TO:MESSAGE [n=N] [for=DURATION] [p=P]",
	Duplicate: "FROM->TO:MESSAGE [n=N] [for=DURATION] [p=P]",
	Reorder:   "FROM->TO:MESSAGE [by=DURATION] [n=N] [for=DURATION] [p=P]",
	Pause:     "NAME",
	Resume:    "NAME",
	Kill:      "NAME",
	Vanish:    "NAME",
	Restart:   "NAME",
	Reset:     "A B DURATION",
	Cost:      "ENV[/ENDPOINT] MESSAGE DURATION",
	Threads:   "ENV N",
}

// Form is how the verb's arguments are written; empty for what is no verb.
func (v Verb) Form() string { return forms[v] }

// Fault is one thing that goes wrong, or right again. Which fields it has depends on its verb.
type Fault struct {
	Verb Verb
	// A and B are names of processes: both for what lies between two, A alone for what befalls one. Of a cost, A is the
	// place and B the message.
	A, B string
	// OneWay: from A to B only.
	OneWay bool
	// Pattern chooses the messages of a rule.
	Pattern trace.Filter
	// N is on how many messages a rule acts, 0 is no limit; of Threads the number of threads.
	N int
	// For is how long a rule holds; 0 is no limit.
	For time.Duration
	// P is the probability with which a rule acts on a message that fits; 0 is always. Of Lose it is that of each packet's loss; 0 is none.
	P float64
	// By is how much later something is, or how long a handler takes. Of Latency it is the least.
	By time.Duration
	// Max is the longest latency.
	Max time.Duration
}

// DefaultReorder is how much later a reordered message is when the fault does not say.
const DefaultReorder = 10 * time.Millisecond

// IsRule reports whether f acts on messages, by its pattern.
func (f Fault) IsRule() bool { return f.Pattern != trace.Filter{} }

// String is the fault's line.
func (f Fault) String() string {
	words := []string{string(f.Verb)}
	switch {
	case f.IsRule():
		words = append(words, f.Pattern.String())
		if f.By != 0 {
			words = append(words, "by="+f.By.String())
		}
		if f.N != 0 {
			words = append(words, "n="+strconv.Itoa(f.N))
		}
		if f.For != 0 {
			words = append(words, "for="+f.For.String())
		}
		if f.P != 0 {
			words = append(words, "p="+strconv.FormatFloat(f.P, 'g', -1, 64))
		}
		return strings.Join(words, " ")
	case f.Verb == Latency: // the one without a name
		return strings.Join(append(words, f.By.String(), f.Max.String()), " ")
	}
	words = append(words, f.A)
	if f.B != "" {
		words = append(words, f.B)
	}
	switch f.Verb {
	case Delay, Reset, Cost:
		words = append(words, f.By.String())
	case Threads:
		words = append(words, strconv.Itoa(f.N))
	case Lose:
		words = append(words, strconv.FormatFloat(f.P, 'g', -1, 64))
	}
	if f.OneWay {
		words = append(words, "oneway")
	}
	return strings.Join(words, " ")
}

// Parse reads one fault. Its error is a *SyntaxError of line 1.
func Parse(line string) (Fault, error) {
	ws := split(line)
	if len(ws) == 0 {
		return Fault{}, &SyntaxError{1, 1, "want a fault, for example: cut A B oneway"}
	}
	return parse(ws, 1)
}

// parse reads the words of a fault.
func parse(ws []word, line int) (Fault, error) {
	p := parser{line: line, verb: ws[0]}
	f := Fault{Verb: Verb(ws[0].text)}
	if forms[f.Verb] == "" {
		return Fault{}, p.fail(ws[0], fmt.Sprintf("no fault is called %q: want one of %s", ws[0].text, verbList))
	}
	args := ws[1:]
	switch f.Verb {
	case Cut, Heal:
		if len(args) == 3 && args[2].text == "oneway" {
			f.OneWay, args = true, args[:2]
		}
		p.want(args, 2)
		f.A, f.B = p.name(args, 0), p.name(args, 1)
	case Delay:
		// One word for two faults: of the way between two processes, and of messages that fit a pattern.
		if len(args) > 0 && strings.Contains(args[0].text, "->") {
			p.rule(&f, args)
			break
		}
		p.want(args, 3)
		f.A, f.B, f.By = p.name(args, 0), p.name(args, 1), p.duration(args, 2)
	case Lose:
		if len(args) == 4 && args[3].text == "oneway" {
			f.OneWay, args = true, args[:3]
		}
		p.want(args, 3)
		f.A, f.B, f.P = p.name(args, 0), p.name(args, 1), p.share(args, 2)
	case Drop, Duplicate, Reorder:
		p.rule(&f, args)
	case Latency:
		p.want(args, 2)
		f.By, f.Max = p.duration(args, 0), p.duration(args, 1)
		if p.err == nil && f.Max < f.By {
			p.stop(args[1], "MAX is less than MIN")
		}
	case Cost, Reset:
		p.want(args, 3)
		f.A, f.B, f.By = p.name(args, 0), p.name(args, 1), p.duration(args, 2)
	case Threads:
		p.want(args, 2)
		f.A, f.N = p.name(args, 0), p.number(args, 1)
	default:
		p.want(args, 1)
		f.A = p.name(args, 0)
	}
	if p.err != nil {
		return Fault{}, p.err
	}
	return f, nil
}

const verbList = "cut, heal, delay, lose, latency, drop, duplicate, reorder, pause, resume, kill, vanish, restart, reset, cost, threads"
