package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// width is how many columns text takes.
const width = 100

// text writes for people. Its methods end lines.
type text struct{ out bytes.Buffer }

func (t *text) line(format string, args ...any) {
	t.out.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// wrapped writes words, the first line behind head, the others indented by as much as head is wide. A word that has no room
// there stands on a line of its own, indented by less.
func (t *text) wrapped(head, words string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(head))
	at := head
	for i, word := range strings.Fields(words) {
		size := utf8.RuneCountInString(word)
		switch n := utf8.RuneCountInString(at); {
		case n+size > width || i > 0 && n+1+size > width:
			if strings.TrimSpace(at) != "" {
				t.line("%s", at)
			}
			at = strings.Repeat(" ", max(0, min(len(indent), width-size))) + word
		case i == 0 || n == len(indent):
			at += word
		default:
			at += " " + word
		}
	}
	t.line("%s", at)
}

// row is a labelled property; one without a value is left out.
func (t *text) row(label, value string) {
	if value != "" {
		t.wrapped(fmt.Sprintf("%-11s", label), value)
	}
}

// rows label the first of several lines.
func (t *text) rows(label string, values []string) {
	for _, v := range values {
		t.wrapped(fmt.Sprintf("%-11s", label), v)
		label = ""
	}
}

// cut writes lines as they are, but no wider than the screen.
func (t *text) cut(indent, lines string) {
	for line := range strings.Lines(lines) {
		line = indent + strings.TrimRight(line, "\n")
		if utf8.RuneCountInString(line) > width {
			line = string([]rune(line)[:width-1]) + "…"
		}
		t.line("%s", line)
	}
}

// Text writes all of p, for people: at most 100 columns, except where a name is longer.
func (p *Protocol) Text(w io.Writer) error {
	var t text
	rule := func() {
		if t.out.Len() > 0 {
			t.line("\n%s\n", strings.Repeat("-", width))
		}
	}
	for i := range p.Conversations {
		rule()
		t.conversation(&p.Conversations[i])
	}
	for i := range p.Endpoints {
		rule()
		t.endpoint(&p.Endpoints[i])
	}
	for i := range p.Messages {
		rule()
		t.message(&p.Messages[i])
	}
	if len(p.Deviations) > 0 {
		rule()
		t.deviations(p.Deviations)
	}
	_, err := w.Write(t.out.Bytes())
	return err
}

// List writes the names that can be asked for: conversations, endpoints and the messages that each handles.
func (p *Protocol) List(w io.Writer) error {
	var t text
	t.line("CONVERSATIONS")
	for _, c := range p.Conversations {
		t.wrapped(fmt.Sprintf("  %-28s", c.Name), c.Title)
	}
	t.line("\nENDPOINTS")
	for _, e := range p.Endpoints {
		t.wrapped(fmt.Sprintf("  %-28s", e.Name), "in "+e.Where)
		if len(e.Handles) > 0 {
			t.wrapped(strings.Repeat(" ", 30), strings.Join(shorts(e.Handles), ", "))
		}
	}
	t.line("\ncoherer explain NAME says more of each of them, and of each message.")
	_, err := w.Write(t.out.Bytes())
	return err
}

func (t *text) message(m *Message) {
	t.wrapped("", m.Name+": "+m.kindText())
	t.line("")
	t.comment(m.Comment)
	t.line("")
	t.row("FROM", m.fromText())
	t.row("TO", namesText(m.To))
	t.row("REPLY", m.replyText())
	t.row("DUPLICATE", m.Duplicate)
	t.row("SPARK", m.sparkText())
	t.rows("HANDLED BY", places(m.Handlers))
	t.rows("MADE BY", places(m.Makers))
	t.row("PART OF", strings.Join(m.Conversations, ", "))
	t.row("INSIDE", strings.Join(m.In, ", "))
	t.fields("FIELDS", m.Fields)
	t.fields("VALUES", m.Values)
	switch {
	case m.Example != nil:
		t.example(m.Example)
	case m.Kind == kindMessage && m.Untraced:
		t.line("\nIt is not recorded, so no run has an example.")
	case m.Kind == kindMessage || m.Kind == kindLocal:
		t.line("\nNo recorded run has one.")
	}
}

// comment keeps paragraphs.
func (t *text) comment(s string) {
	if s == "" {
		s = "(It has no comment.)"
	}
	for i, paragraph := range strings.Split(s, "\n\n") {
		if i > 0 {
			t.line("")
		}
		t.wrapped("", paragraph)
	}
}

func (t *text) fields(label string, fields []Field) {
	if len(fields) == 0 {
		return
	}
	name, typ := 0, 0
	for _, f := range fields {
		name, typ = max(name, len(f.Name)), max(typ, len(f.Type))
	}
	t.line("\n%s", label)
	for _, f := range fields {
		comment := f.Comment
		if f.Role != "" {
			comment = strings.TrimSpace("(" + f.Role + ") " + comment)
		}
		number := fmt.Sprintf("%4d  ", f.Number)
		if f.Number == 0 && f.Type != "" { // of a Go struct
			number = "  "
		}
		head := fmt.Sprintf("%s%-*s  %-*s  ", number, name, f.Name, typ, f.Type)
		if len(head) > width/2 && comment != "" { // the comment would be a narrow column: it goes below
			t.line("%s", head)
			head = strings.Repeat(" ", len(number)+2)
		}
		t.wrapped(head, comment)
	}
}

func (t *text) example(e *Example) {
	t.line("\nEXAMPLE    from the run of %s", e.Script)
	t.cut("  ", e.Causes)
	if e.Body == "" {
		return
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(e.Body), "  ", "  "); err != nil {
		t.cut("  ", e.Body)
		return
	}
	t.line("")
	t.cut("", "  "+pretty.String())
}

func (t *text) endpoint(e *Endpoint) {
	t.line("%s: endpoint", e.Name)
	t.line("")
	t.comment(e.Comment)
	t.line("")
	t.row("WHERE", e.Where)
	t.row("SPARK", e.Spark)
	t.row("SOURCE", e.File+" "+e.Type)
	t.row("HANDLES", strings.Join(e.Handles, ", "))
	t.row("SENDS", strings.Join(e.Sends, ", "))
}

func (t *text) conversation(c *Conversation) {
	t.line("%s: conversation", c.Name)
	t.line("")
	t.wrapped("", fmt.Sprintf("%s. From the run of %s:", c.Title, c.Script))
	t.line("")
	t.cut("  ", c.Picture)
	t.line("\n  -> one-way, => an ask, <= its answer; each stands under what caused it.\n")
	wide := 0
	for _, s := range c.Steps {
		wide = max(wide, len(short(s.Message)))
	}
	var known []string
	for _, s := range c.Steps {
		if name := short(s.Message); !slices.Contains(known, name) {
			known = append(known, name)
			t.wrapped(fmt.Sprintf("%-*s  ", wide, name), s.Comment)
		}
	}
}

func (t *text) deviations(ds []Deviation) {
	t.line("Differences from Spark and Hadoop on purpose. Each is held by the tests that it names, which are in\nits package or in the one that stands before them.")
	for i, d := range ds {
		if i == 0 || ds[i-1].Package != d.Package {
			t.line("\n%s", d.Package)
		}
		if d.Spark == "" {
			t.wrapped("  - here:     ", d.Here)
		} else {
			t.wrapped("  - original: ", d.Spark)
			t.wrapped("    here:     ", d.Here)
		}
		if d.Why != "" {
			t.wrapped("    why:      ", d.Why)
		}
		tests := strings.Join(d.Tests, ", ")
		if tests == "" {
			tests = "none: nothing can observe it yet"
		}
		t.wrapped("    test:     ", tests)
	}
}
