package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
)

// mermaidLines bounds a diagram, so that it can be read and that no viewer refuses it.
const mermaidLines = 119

// Mermaid draws the messages between peers as a Mermaid sequence diagram of less than 120 lines, whatever the trace. The
// first view that is short enough is taken: neighbours that are equal drawn once with "×N", then all that are equal in one
// round, then what stays within one process left out, then numbered peers drawn as one, then the middle left out. No view
// draws a message above what caused it. A note at the end says what was done.
func Mermaid(t *trace.Trace) string {
	wants := func(e *trace.Entry) bool { return e.K == trace.KindMsg || e.K == trace.KindDrop }
	byID := t.ByID()
	for _, v := range views {
		v.wants = wants
		steps, left := v.steps(t.Entries, byID, v.most(mermaidLines))
		note := v.note(steps, left)
		if lines := mermaid(steps, note); len(lines) <= mermaidLines || v.fold {
			return strings.Join(shorten(steps, lines, note), "\n") + "\n"
		}
	}
	return ""
}

// note says what a view does not show; empty when it shows everything.
func (v view) note(steps []step, left int) string {
	messages, arrows := 0, 0
	for _, s := range steps {
		if s.K == trace.KindMsg || s.K == trace.KindDrop {
			arrows++
			messages += s.times
		}
	}
	var parts []string
	if messages > arrows {
		parts = append(parts, fmt.Sprintf("%d messages in %d arrows, ×N marks repeats", messages, arrows))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d within one process not shown", left))
	}
	if v.fold {
		parts = append(parts, "numbered peers drawn as one")
	}
	return strings.Join(parts, ", ")
}

// shorten leaves out arrows, and if there are so many also participants, until the diagram is short enough.
func shorten(steps []step, lines []string, note string) []string {
	for keep := len(steps) * 3 / 4; len(lines) > mermaidLines && keep > 0; keep = keep * 3 / 4 {
		head := (keep + 1) * 2 / 3
		tail := keep - head
		some := slices.Concat(steps[:head], steps[len(steps)-tail:])
		lines = mermaid(some, strings.TrimPrefix(fmt.Sprintf("%s, %d arrows in the middle left out", note, len(steps)-keep), ", "))
	}
	return lines
}

// mermaid writes one line per participant and step.
func mermaid(steps []step, note string) []string {
	lines := []string{"sequenceDiagram"}
	ids := map[string]string{}
	var names []string
	// Participants get ids of ours: a peer's name may hold anything, for example a keyword of Mermaid's.
	for _, s := range steps {
		for _, peer := range []string{trace.Peer(s.from), trace.Peer(s.to)} {
			if ids[peer] == "" {
				ids[peer] = fmt.Sprintf("p%d", len(names))
				names = append(names, peer)
				lines = append(lines, fmt.Sprintf("    participant %s as %s", ids[peer], mermaidText(peer)))
			}
		}
	}
	for _, s := range steps {
		text := mermaidText(s.label)
		if s.times > 1 {
			text += fmt.Sprintf(" ×%d", s.times)
		}
		lines = append(lines, fmt.Sprintf("    %s%s%s: %s", ids[trace.Peer(s.from)], mermaidArrow(s), ids[trace.Peer(s.to)], text))
	}
	if note == "" || len(names) == 0 {
		return lines
	}
	over := ids[names[0]]
	if len(names) > 1 {
		over += "," + ids[names[len(names)-1]]
	}
	return append(lines, "    Note over "+over+": "+mermaidText(note))
}

func mermaidArrow(s step) string {
	switch {
	case s.K == trace.KindDrop:
		return "-x"
	case s.Form == trace.FormAsk:
		return "->>"
	case s.Form == trace.FormReply:
		return "-->>"
	case s.Form == trace.FormFail:
		return "--x"
	}
	return "-)"
}

// mermaidText writes s so that Mermaid takes nothing in it for its own: what is neither letter, digit nor harmless
// becomes a character reference.
func mermaidText(s string) string {
	s = cutString(strings.TrimSpace(oneline.Text(s)), 80)
	switch {
	case s == "":
		return "-"
	case strings.EqualFold(s, "end"): // a keyword of Mermaid's, even as a label: with its first letter as a reference it is none
		return "#" + fmt.Sprint(s[0]) + ";" + s[1:]
	}
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("#;<>%:{}`\"\\&", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
