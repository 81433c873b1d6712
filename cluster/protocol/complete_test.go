package protocol

import (
	"slices"
	"strings"
	"testing"
)

// now is the protocol as the tree has it, not as it was written down.
func now(t *testing.T) *Protocol {
	t.Helper()
	whole, _ := recorded(t)
	p, err := build(analysed(t), whole)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// missing are the parts of m's description that are empty.
func missing(m *Message) []string {
	var out []string
	want := func(what string, there bool) {
		if !there {
			out = append(out, what)
		}
	}
	want("a comment", m.Comment != "")
	if m.Kind == kindMessage {
		want("from", len(m.From) > 0)
		want("to", len(m.To) > 0)
		want("duplicate: what a second one does", m.Duplicate != "")
		want("when: what makes from send it", m.When != "" || len(m.Answers) > 0)
		want("since: which Spark brought its class", m.Since != "" || !strings.HasPrefix(m.Spark, "org.apache.spark."))
	}
	for _, v := range m.Values {
		want("a name for value "+v.Name, v.Name != "")
	}
	return out
}

func TestEveryMessageIsExplained(t *testing.T) {
	p := now(t)
	count := map[string]int{}
	for i := range p.Messages {
		m := &p.Messages[i]
		count[m.Kind]++
		for _, what := range missing(m) {
			t.Errorf("%s lacks %s", m.Name, what)
		}
	}
	for kind, least := range map[string]int{kindMessage: 40, kindLocal: 30, kindRecord: 10, kindEnum: 2} {
		if count[kind] < least {
			t.Errorf("there are %d of kind %s, once there were %d", count[kind], kind, least)
		}
	}
	for _, e := range p.Endpoints {
		if e.Where == "" || e.Comment == "" || e.Name == "" {
			t.Errorf("endpoint %q (%s in %s) lacks a comment, or its row in endpoints.go", e.Name, e.Type, e.File)
		}
	}
	for name := range homes {
		if !slices.ContainsFunc(p.Endpoints, func(e Endpoint) bool { return e.Name == name }) {
			t.Errorf("endpoints.go has a row for %s, which is no endpoint", name)
		}
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	whole := Message{
		Kind: kindMessage, Comment: "c", From: []string{"A"}, To: []string{"B"}, Duplicate: "d", When: "w",
		Spark: "org.apache.spark.X", Since: "2.1",
	}
	if m := missing(&whole); m != nil {
		t.Error("of a whole message:", m)
	}
	for want, spoil := range map[string]func(*Message){
		"a comment": func(m *Message) { m.Comment = "" },
		"from":      func(m *Message) { m.From = nil },
		"to":        func(m *Message) { m.To = nil },
		"duplicate": func(m *Message) { m.Duplicate = "" },
		"when":      func(m *Message) { m.When = "" },
		"since":     func(m *Message) { m.Since = "" },
	} {
		m := whole
		spoil(&m)
		if got := missing(&m); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("without %s: %v", want, got)
		}
	}
}

// TestMessagesAndHandlersMatch holds the protocol and the code together: a message that says which endpoint handles it is
// a case of that endpoint's Receive, and a protobuf message that is a case there says so.
func TestMessagesAndHandlersMatch(t *testing.T) {
	p := now(t)
	for _, m := range p.Messages {
		if m.Kind != kindMessage || len(m.Answers) > 0 {
			continue
		}
		handled := endpointsIn(m.Handlers)
		for _, to := range m.To {
			if to != "*" && !slices.Contains(handled, to) {
				t.Errorf("%s says that %s handles it, but it is no case of its Receive", m.Name, to)
			}
		}
		for _, e := range handled {
			if !slices.Contains(m.To, e) {
				t.Errorf("%s handles %s, whose protocol option does not name it", e, m.Name)
			}
		}
	}
}

// TestSendersMatch: the option of a message names its makers.
func TestSendersMatch(t *testing.T) {
	for _, m := range now(t).Messages {
		if m.Kind != kindMessage || slices.Contains(m.From, "*") {
			continue
		}
		for _, e := range endpointsIn(m.Makers) {
			if !slices.Contains(m.From, e) {
				t.Errorf("%s makes %s, which says that it is sent by %v", e, m.Name, m.From)
			}
		}
		for _, f := range m.From {
			if homes[f].where == "" && senders[f] == "" {
				t.Errorf("%s is sent by %s, which is no endpoint and has no row in endpoints.go", m.Name, f)
			}
		}
	}
}
