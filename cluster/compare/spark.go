package compare

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/trace"
)

// ErrFormat is what ReadSpark returns, wrapped, for what is no recording.
var ErrFormat = errors.New("compare: not a recording of Spark")

// maxLine bounds a line of a recording; theirs are cut at 420 letters.
const maxLine = 1 << 20

// line is one message of a recording: number, time, connection, sender, sign, receiver, [endpoint] or [answer to N ...],
// message.
var line = regexp.MustCompile(`^ *(\d+) +[\d.]+ (c\d+) (\S+) +(->|=>|<=) (\S+) +\[([^\]]*)\] ?(.*)$`)

// ReadSpark reads a recording of real Spark: a line per message as `0 0.000 c0 Worker1 => Master [endpoint-verifier]
// RpcEndpointVerifier$CheckExistence(name=Master)`, answers as `1 0.241 c0 Master <= Worker1 [answer to 0 ...] true`;
// lines that begin with # are passed over, and so is block transfer (peers called blkPORT). Anything else is ErrFormat
// and names the line.
func ReadSpark(r io.Reader) (*Sequence, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	s := &Sequence{}
	asked := map[string]asking{}
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if strings.HasPrefix(text, "#") || strings.TrimSpace(text) == "" {
			continue
		}
		f := line.FindStringSubmatch(text)
		if f == nil {
			return nil, fmt.Errorf("%w: line %d: %.80q", ErrFormat, n, text)
		}
		if err := s.readMessage(f, asked); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFormat, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("compare: read: %w", err)
	}
	if len(s.conversations) == 0 {
		return nil, fmt.Errorf("%w: it has no messages", ErrFormat)
	}
	return s, nil
}

// asking is an ask that may be answered later.
type asking struct {
	on *connection
	m  Message
}

func (s *Sequence) readMessage(f []string, asked map[string]asking) error {
	number, conn, from, sign, to, where, what := f[1], f[2], f[3], f[4], f[5], f[6], f[7]
	if strings.HasPrefix(from, "blk") || strings.HasPrefix(to, "blk") {
		return nil
	}
	if sign == "<=" {
		question, ok := strings.CutPrefix(where, "answer to ")
		if !ok {
			return fmt.Errorf("an answer that does not say to what: [%s]", where)
		}
		question, _, _ = strings.Cut(question, " ")
		if q, ok := asked[question]; ok {
			q.on.answer(q.m, sparkAnswer(what))
			delete(asked, question)
		}
		return nil
	}
	m := Message{From: role(from), To: role(to), Endpoint: where, Name: sparkName(what), Ask: sign == "=>"}
	on := s.add(conn, m)
	if m.Ask {
		asked[number] = asking{on, m}
	}
	return nil
}

// role is what a peer is: Exec0 and Exec?8 are Exec. The short names of scripts stand for the long ones.
func role(peer string) string {
	name := strings.TrimRight(trace.Role(peer), "?")
	switch name {
	case "M":
		return "Master"
	case "W":
		return "Worker"
	case "D", "A":
		return "Driver"
	case "X", "E":
		return "Exec"
	case "F":
		return "Fetcher"
	}
	return name
}

// className is the name of a class without its package and the object around it.
func className(what string) string {
	what = strings.TrimPrefix(what, "object ")
	if i := strings.IndexAny(what, "(<"); i >= 0 {
		what = what[:i]
	}
	what = strings.TrimRight(strings.TrimSpace(what), "$")
	return what[strings.LastIndexAny(what, "$.")+1:]
}

var (
	stateField = regexp.MustCompile(`[(, ]state=enum (ExecutorState|TaskState)#(\d+)`)
	nameField  = regexp.MustCompile(`^[^(]*\(name=([^,)]*)\)`)
)

// sparkName is the name of a message with the field that says most.
func sparkName(what string) string {
	name := className(what)
	if f := stateField.FindStringSubmatch(own(what)); f != nil {
		n, _ := strconv.Atoi(f[2]) // the expression has digits only
		if f[1] == "TaskState" {
			return name + "(" + app.TaskState(n).String() + ")"
		}
		return name + "(" + deploy.ExecutorState(n).String() + ")"
	}
	if f := nameField.FindStringSubmatch(what); f != nil && name == "CheckExistence" {
		return name + "(" + f[1] + ")"
	}
	return name
}

// own is what is said of a message itself, without the records within it.
func own(what string) string {
	depth, out := 0, strings.Builder{}
	for _, r := range what {
		if r == ')' || r == ']' {
			depth--
		}
		if depth <= 1 {
			out.WriteRune(r)
		}
		if r == '(' || r == '[' {
			depth++
		}
	}
	return out.String()
}

// sparkAnswer is the type of an answer.
func sparkAnswer(what string) string {
	switch {
	case what == "true" || what == "false":
		return "Bool"
	case strings.HasPrefix(what, "<bytes"):
		return anything
	}
	if _, err := strconv.Atoi(what); err == nil {
		return "Integer"
	}
	return className(what)
}
