package protocol

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// File is where the reference lies below the module's root.
const File = "messages/PROTOCOL.md"

// Markdown writes the reference: all that explain knows, examples as the chains that led to them.
func (p *Protocol) Markdown(w io.Writer) error {
	var m markdown
	m.line("# The protocol\n")
	m.line("The messages, with their senders and receivers, as data. This file is made by `coherer explain --all`, from the .proto files, the Go source and")
	m.line("recorded runs; a test makes it again and compares. `coherer explain NAME` says the same of one thing, with an example in")
	m.line("full. In pictures `->` is a one-way message, `=>` an ask and `<=` its answer; each stands under what caused it.\n")
	m.line("Field roles: *place* fields say where or when and are left out of pictures and comparisons; *bulk* fields are content,")
	m.line("of which only the presence is shown.\n")
	m.contents(p)
	m.line("## Conversations\n")
	for i := range p.Conversations {
		m.conversation(&p.Conversations[i])
	}
	m.line("## Endpoints\n")
	for i := range p.Endpoints {
		m.endpoint(&p.Endpoints[i])
	}
	for _, part := range parts {
		m.line("## %s\n", part.title)
		for i := range p.Messages {
			if p.Messages[i].Kind == part.kind {
				m.message(&p.Messages[i])
			}
		}
	}
	_, err := w.Write(append(bytes.TrimRight(m.out.Bytes(), "\n"), '\n'))
	return err
}

// parts are the kinds of messages with their headings.
var parts = []struct{ kind, title string }{
	{kindMessage, "Messages"}, {kindLocal, "Messages within a process"}, {kindRecord, "Records"}, {kindEnum, "Enums"},
}

type markdown struct{ out bytes.Buffer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

func (m *markdown) contents(p *Protocol) {
	var names []string
	for _, c := range p.Conversations {
		names = append(names, link(c.Name))
	}
	m.line("- Conversations: %s", strings.Join(names, ", "))
	names = nil
	for _, e := range p.Endpoints {
		names = append(names, link(e.Name))
	}
	m.line("- Endpoints: %s", strings.Join(names, ", "))
	for _, part := range parts {
		names = nil
		for _, x := range p.Messages {
			if x.Kind == part.kind {
				names = append(names, link(x.Name))
			}
		}
		m.line("- %s: %s", part.title, strings.Join(names, ", "))
	}
	m.line("")
}

// link leads to a heading as GitHub names it: lower-case letters, digits, hyphens.
func link(name string) string {
	anchor := strings.Map(func(r rune) rune {
		if r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return "[" + name + "](#" + anchor + ")"
}

func (m *markdown) conversation(c *Conversation) {
	m.line("### %s\n", c.Name)
	m.line("%s. From the run of `%s`:\n", c.Title, c.Script)
	m.code(c.Picture)
}

func (m *markdown) code(lines string) { m.line("```\n%s\n```\n", strings.TrimRight(lines, "\n")) }

func (m *markdown) endpoint(e *Endpoint) {
	m.line("### %s\n", e.Name)
	m.line("%s\n", e.Comment)
	m.item("lives in", e.Where)
	m.item("Spark", code(e.Spark))
	m.item("source", code(e.File)+" "+code(e.Type))
	m.item("handles", links(e.Handles))
	m.item("sends", links(e.Sends))
	m.line("")
}

// item is a property; one without a value is left out.
func (m *markdown) item(label, value string) {
	if value != "" {
		m.line("- %s: %s", label, value)
	}
}

func links(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, link(n))
	}
	return strings.Join(out, ", ")
}

// code is a name in the face of code; one with words behind it keeps them as text.
func code(s string) string {
	name, rest, found := strings.Cut(s, ",")
	switch {
	case s == "":
		return ""
	case found:
		return "`" + name + "`," + rest
	}
	return "`" + s + "`"
}

func (m *markdown) message(x *Message) {
	m.line("### %s\n", x.Name)
	m.line("*%s.* %s\n", capital(x.kindText()), x.Comment)
	m.item("from", x.fromText())
	m.item("to", namesText(x.To))
	if x.Reply != "" {
		m.item("reply", link(x.Reply))
	}
	m.item("answers", links(x.Answers))
	m.item("duplicate", x.Duplicate)
	m.item("Spark", code(x.sparkText()))
	m.item("handled by", codes(x.Handlers))
	m.item("made by", codes(x.Makers))
	m.item("part of", links(x.Conversations))
	m.item("inside", links(x.In))
	if out := m.out.Bytes(); !bytes.HasSuffix(out, []byte("\n\n")) {
		m.line("")
	}
	m.fields(x.Kind, x.Fields)
	m.fields(x.Kind, x.Values)
	if x.Example != nil {
		m.line("In the run of `%s`:\n", x.Example.Script)
		m.code(x.Example.Causes)
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func codes(places []Place) string {
	var out []string
	for _, p := range places {
		s := "`" + p.Package + "/" + p.File + "` `" + p.Function + "`"
		if p.Endpoint != "" {
			s = p.Endpoint + " " + s
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func (m *markdown) fields(kind string, fields []Field) {
	if len(fields) == 0 {
		return
	}
	switch kind {
	case kindLocal:
		m.line("| field | type | |\n|---|---|---|")
	case kindEnum:
		m.line("| | value | |\n|---|---|---|")
	default:
		m.line("| | field | type | |\n|---|---|---|---|")
	}
	for _, f := range fields {
		comment := oneRow(f.Comment)
		if f.Role != "" {
			comment = strings.TrimSpace("*" + f.Role + "* " + comment)
		}
		switch kind {
		case kindLocal:
			m.line("| %s | `%s` | %s |", f.Name, f.Type, comment)
		case kindEnum:
			m.line("| %d | %s | %s |", f.Number, f.Name, comment)
		default:
			m.line("| %d | %s | `%s` | %s |", f.Number, f.Name, f.Type, comment)
		}
	}
	m.line("")
}

// oneRow is text that a table's row can hold.
func oneRow(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
