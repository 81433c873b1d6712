package show

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// WriteText lists messages, drops, changes of state and refused and ended connections in order of time, a line each:
// seconds since the start, the ID, the sender, an arrow, the receiver, the message. -> is one-way, => an ask, <= its answer,
// -x a drop.
func WriteText(w io.Writer, t *trace.Trace) error {
	out := bufio.NewWriter(w)
	for i := range t.Entries {
		e := &t.Entries[i]
		line := Line(e)
		if line == "" || e.K == trace.KindItem || e.K == trace.KindConn && e.Name == "connected" {
			continue
		}
		if _, err := fmt.Fprintf(out, "%10.4f  %-*s  %s\n", time.Duration(e.Sent).Seconds(), idWide, oneline.Text(e.ID), line); err != nil {
			return fmt.Errorf("trace: write text: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: write text: %w", err)
	}
	return nil
}

// Measures of the columns in letters; what is longer pushes the rest of its line.
const (
	idWide    = 16
	placeWide = 30
)

// arrows are how scripts draw the forms of a message.
var arrows = map[string]string{trace.FormSend: "->", trace.FormAsk: "=>", trace.FormReply: "<=", trace.FormFail: "<="}

// Line is an entry in one line, without its time; empty for what has no known kind.
func Line(e *trace.Entry) string {
	from, to := e.From, e.To
	if e.IsAnswer() { // the arrow of an answer points back: its receiver, the asker, stands on the left
		from, to = to, from
	}
	var line string
	switch e.K {
	case trace.KindMsg:
		line = fmt.Sprintf("%-*s %s %-*s %s", placeWide, from, cmp.Or(arrows[e.Form], "->"), placeWide, to, what(e))
		switch e.Outcome {
		case "":
		case record.OutcomeDeferred:
			line += " (to be answered later)"
		default:
			line += " (handling failed: " + cutString(e.Outcome, 120) + ")"
		}
	case trace.KindDrop:
		line = fmt.Sprintf("%-*s -x %-*s %s: %s", placeWide, from, placeWide, to, typeName(e), e.Why)
	case trace.KindState:
		was := ""
		if e.Was != "" {
			was = e.Was + " to "
		}
		line = fmt.Sprintf("%-*s    %s %s: %s%s", placeWide, e.At, e.Name, e.Subject, was, e.Is)
		if e.Why != "" {
			line += ": " + e.Why
		}
	case trace.KindConn:
		line = fmt.Sprintf("%-*s    %s %s %s %s", placeWide, e.At, e.Name, e.To, e.Address, e.Why)
	case trace.KindItem:
		line = fmt.Sprintf("%-*s    %s %s", placeWide, e.At, e.Name, e.To)
	default:
		return ""
	}
	return strings.TrimRight(oneline.Text(line), " ")
}

// untyped is the type of a message that only its receiver recorded, which notes no type; aboutUntyped says so below a table.
const (
	untyped      = "(its type was not recorded)"
	aboutUntyped = untyped + ": only the receiver's record is there: the sender's is missing, as of a process that was killed\n"
)

func typeName(e *trace.Entry) string { return cmp.Or(e.Type, untyped) }

// what is a message with its fields, the long ones cut. An answer has its own name where that is not the question's.
func what(e *trace.Entry) string {
	name := typeName(e)
	if own := trace.ShortName(e.Message); e.IsAnswer() && own != e.Type && own != "" {
		name += " " + own
	}
	return strings.TrimRight(name+" "+ObjectText(e.Message, e.Body, e.Cut, TextOptions{MaxList: 4, MaxString: 80}), " ")
}

// WriteChain lists a chain, a line an entry: seconds since the start, milliseconds since the one before, ID, what.
func WriteChain(w io.Writer, c trace.Chain) error {
	if c.Missing != "" {
		if _, err := fmt.Fprintf(w, "%10s %12s  %-*s  (not in this trace)\n", "", "", idWide, oneline.Text(c.Missing)); err != nil {
			return fmt.Errorf("trace: write text: %w", err)
		}
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		after := ""
		if i > 0 {
			after = fmt.Sprintf("+%.3f ms", float64(e.Sent-c.Entries[i-1].Sent)/1e6)
		}
		if _, err := fmt.Fprintf(w, "%10.4f %12s  %-*s  %s\n",
			time.Duration(e.Sent).Seconds(), after, idWide, oneline.Text(e.ID), Line(e)); err != nil {
			return fmt.Errorf("trace: write text: %w", err)
		}
	}
	return nil
}
