package compare

import (
	"fmt"
	"slices"
	"strings"
)

// Message is one message as it is compared.
type Message struct {
	// From and To are roles.
	From, To string
	// Endpoint is the receiver's.
	Endpoint string
	// Name is the message's, without the object around Spark's class: "RegisterWorker", "StatusUpdate(RUNNING)".
	Name string
	// Ask says that an answer is expected.
	Ask bool
}

// String is the message in the form of the recordings: "Worker => Master [Master] ExecutorStateChanged(KILLED)".
func (m Message) String() string {
	sign := "->"
	if m.Ask {
		sign = "=>"
	}
	return fmt.Sprintf("%s %s %s [%s] %s", m.From, sign, m.To, m.Endpoint, m.Name)
}

// Sequence is a recording in the form in which it is compared.
type Sequence struct {
	// conversations in order of first occurrence.
	conversations []*conversation
}

// conversation is what two roles said on all their connections.
type conversation struct {
	roles [2]string // in order of the alphabet
	// connections hold, in order, the first occurrence of each message.
	connections []*connection
}

type connection struct {
	id       string
	messages []Message
	// answers are the types of the answers that a message got, by the message, each once.
	answers map[Message][]string
}

// add notes a message; a later occurrence on the same connection is a repeat.
func (s *Sequence) add(id string, m Message) *connection {
	c := s.connection(id, m.From, m.To)
	if !slices.Contains(c.messages, m) {
		c.messages = append(c.messages, m)
	}
	return c
}

func (c *connection) answer(m Message, typ string) {
	if !slices.Contains(c.answers[m], typ) {
		c.answers[m] = append(c.answers[m], typ)
	}
}

func (s *Sequence) connection(id, a, b string) *connection {
	conv := s.between(a, b)
	if conv == nil {
		conv = &conversation{roles: rolesOf(a, b)}
		s.conversations = append(s.conversations, conv)
	}
	for _, c := range conv.connections {
		if c.id == id {
			return c
		}
	}
	c := &connection{id: id, answers: map[Message][]string{}}
	conv.connections = append(conv.connections, c)
	return c
}

// between is the conversation of two roles; nil when they have not said anything.
func (s *Sequence) between(a, b string) *conversation {
	for _, conv := range s.conversations {
		if conv.roles == rolesOf(a, b) {
			return conv
		}
	}
	return nil
}

func rolesOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// String lists a sequence, conversation by conversation, for people.
func (s *Sequence) String() string {
	var b strings.Builder
	for _, conv := range s.conversations {
		fmt.Fprintf(&b, "%s and %s\n", conv.roles[0], conv.roles[1])
		for _, c := range conv.connections {
			fmt.Fprintf(&b, "  connection %s\n", c.id)
			for _, m := range c.messages {
				fmt.Fprintf(&b, "    %s", m)
				if answers := c.answers[m]; len(answers) > 0 {
					fmt.Fprintf(&b, " / %s", strings.Join(answers, " or "))
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// Row is a difference on purpose: a message that is not compared, and why.
type Row struct {
	// Message is a name, "UpdateBlockInfo", which stands for all its forms, or one form, "CheckExistence(Worker)".
	Message string
	Reason  string
}

func ignored(m Message, rows []Row) bool {
	bare, _, _ := strings.Cut(m.Name, "(")
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Message == m.Name || r.Message == bare })
}

// Diff says where ours differs from the recording of the real one, a line each, beginning with "missing:", "extra:",
// "order:" or "answer:"; none when they are alike but for the rows to ignore.
func Diff(spark, ours *Sequence, ignore []Row) []string {
	return diff(spark, ours, ignore, words{missing: "missing", extra: "extra", there: "in Spark"})
}

// words are the terms in which a difference is described.
type words struct {
	// missing and extra begin the lines of what only the first or only the second has; there is the first.
	missing, extra, there string
}

func diff(theirs, ours *Sequence, ignore []Row, w words) []string {
	var lines []string
	for _, real := range theirs.conversations {
		mine := ours.between(real.roles[0], real.roles[1])
		if mine == nil {
			mine = &conversation{roles: real.roles}
		}
		lines = append(lines, diffConversation(real, mine, ignore, w)...)
	}
	for _, mine := range ours.conversations { // those of which the recording has nothing: all of them is extra
		if theirs.between(mine.roles[0], mine.roles[1]) == nil {
			lines = append(lines, diffConversation(&conversation{roles: mine.roles}, mine, ignore, w)...)
		}
	}
	return lines
}

func diffConversation(real, mine *conversation, ignore []Row, w words) []string {
	var lines []string
	theirs, ours := real.all(ignore), mine.all(ignore)
	for _, m := range theirs {
		if !slices.Contains(ours, m) {
			lines = append(lines, fmt.Sprintf("%s: %s", w.missing, m))
		}
	}
	for _, m := range ours {
		if !slices.Contains(theirs, m) {
			lines = append(lines, fmt.Sprintf("%s: %s", w.extra, m))
			continue
		}
		if line := diffAnswers(m, real.answers(m), mine.answers(m), w); line != "" {
			lines = append(lines, line)
		}
	}
	for _, c := range mine.connections {
		for _, line := range diffOrder(real, c, ignore, w) {
			if !slices.Contains(lines, line) { // the same fault on the connections of two executors is one difference
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// all are the messages of a conversation, each once, in order of first occurrence.
func (conv *conversation) all(ignore []Row) []Message {
	var all []Message
	for _, c := range conv.connections {
		for _, m := range c.messages {
			if !ignored(m, ignore) && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

func (conv *conversation) answers(m Message) []string {
	var all []string
	for _, c := range conv.connections {
		for _, a := range c.answers[m] {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// diffAnswers wants every type with which we answered among those of the recording.
func diffAnswers(m Message, theirs, ours []string, w words) string {
	if len(theirs) == 0 || slices.Contains(theirs, anything) { // the recording does not say what the answer is
		return ""
	}
	for _, typ := range ours {
		if !slices.Contains(theirs, typ) {
			return fmt.Sprintf("answer: %s is answered with %s, %s with %s", m, typ, w.there, strings.Join(theirs, " or "))
		}
	}
	if len(ours) == 0 && m.Ask {
		return fmt.Sprintf("answer: %s is not answered, %s with %s", m, w.there, strings.Join(theirs, " or "))
	}
	return ""
}

// anything is the type of an answer that the recording shows as bytes.
const anything = "*"

// diffOrder says for each message of one of our connections, before which other one it should have come: the nearest.
func diffOrder(real *conversation, ours *connection, ignore []Row, w words) []string {
	var lines []string
	for j, late := range ours.messages {
		if ignored(late, ignore) {
			continue
		}
		for i := j - 1; i >= 0; i-- {
			early := ours.messages[i]
			if !ignored(early, ignore) && real.always(late, early) {
				lines = append(lines, fmt.Sprintf("order: %s comes after %s, %s before", late, early, w.there))
				break
			}
		}
	}
	return lines
}

// always reports whether a came before b on each connection that has both, and at least one has.
func (conv *conversation) always(a, b Message) bool {
	seen := false
	for _, c := range conv.connections {
		i, j := slices.Index(c.messages, a), slices.Index(c.messages, b)
		if i < 0 || j < 0 {
			continue
		}
		if i > j {
			return false
		}
		seen = true
	}
	return seen
}
