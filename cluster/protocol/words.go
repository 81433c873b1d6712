package protocol

import (
	"fmt"
	"strings"
)

// kindText is m's kind in a few words.
func (m *Message) kindText() string {
	switch {
	case m.Kind == kindRecord:
		return "a record inside messages"
	case m.Kind == kindEnum:
		return "an enum"
	case m.Kind == kindLocal && m.Reply != "":
		return "an ask that stays within its process"
	case m.Kind == kindLocal:
		return "a message that stays within its process"
	case len(m.Answers) > 0:
		return fmt.Sprintf("message %d, an answer", m.Number)
	case m.Reply != "":
		return fmt.Sprintf("message %d, an ask", m.Number)
	}
	return fmt.Sprintf("message %d, one-way", m.Number)
}

func (m *Message) fromText() string {
	parts := []string{namesText(m.From)}
	for _, f := range m.From {
		if s := senders[f]; s != "" {
			parts = append(parts, s)
		}
	}
	if m.When != "" {
		parts = append(parts, m.When)
	}
	return strings.Join(parts, ", ")
}

// namesText names endpoints; "*" is any.
func namesText(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if n == "*" {
			out[i] = "any endpoint or program"
		}
	}
	return strings.Join(out, ", ")
}

func (m *Message) replyText() string {
	switch {
	case len(m.Answers) > 0:
		return "none: it answers " + strings.Join(m.Answers, ", ")
	case m.Reply != "":
		return m.Reply
	case m.Kind == kindMessage || m.Kind == kindLocal:
		return "none: one-way"
	}
	return ""
}

func (m *Message) sparkText() string {
	switch {
	case m.Spark == "" && m.Kind == kindMessage:
		return "none"
	case m.Since == "":
		return m.Spark
	}
	return m.Spark + ", since " + m.Since
}

func (p Place) String() string {
	if p.Endpoint == "" {
		return p.Package + "/" + p.File + " " + p.Function
	}
	return p.Endpoint + ": " + p.Package + "/" + p.File + " " + p.Function
}

func places(ps []Place) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.String())
	}
	return out
}

func shorts(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, short(n))
	}
	return out
}
