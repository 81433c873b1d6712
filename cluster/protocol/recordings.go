package protocol

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// recordingFiles are recorded runs of scripts, cut down to what is shown here.
//
//go:embed recordings/*.jsonl
var recordingFiles embed.FS

// scripts are the golden scripts whose runs are recorded, those with most messages first: an example is taken from the
// first run that has one.
var scripts = []string{
	"application", "silent_worker", "worker_death", "silent_executor", "job_fails", "application_removed", "registration_retry",
	"cluster_mode", "frozen",
}

// recording is the trace of a script's run, in order of time.
type recording struct {
	script  string
	entries []trace.Entry
}

// path is where the script lies below the module's root.
func (r recording) path() string { return "cluster/scenario/testdata/" + r.script + ".txt" }

func readRecordings() ([]recording, error) {
	var out []recording
	for _, name := range scripts {
		b, err := recordingFiles.ReadFile("recordings/" + name + ".jsonl")
		if err != nil {
			return nil, fmt.Errorf("protocol: %w", err)
		}
		t, err := trace.ReadJSONL(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("protocol: recordings/%s.jsonl: %w", name, err)
		}
		out = append(out, recording{name, t.Entries})
	}
	return out, nil
}

// example is the first occurrence of m in the recordings; nil: it does not occur.
func example(recordings []recording, m *Message) *Example {
	for _, r := range recordings {
		i := slices.IndexFunc(r.entries, func(e trace.Entry) bool { return says(&e, m) })
		if i >= 0 {
			return &Example{Script: r.path(), Step: stepOf(&r.entries[i]), Causes: r.chain(&r.entries[i])}
		}
	}
	return nil
}

// says reports whether e is a message of m's type, or a tick of a timer that gives one. A Local has its bare name in a
// trace, so where it was handled tells it from others.
func says(e *trace.Entry, m *Message) bool {
	switch {
	case m.Kind != kindLocal:
		return e.K == trace.KindMsg && e.Message == m.Name
	case e.K == trace.KindItem:
		return e.Name == tick+short(m.Name) && slices.Contains(m.To, trace.EndpointOf(e.At))
	case e.K == trace.KindMsg:
		return e.Message == short(m.Name) && !e.IsAnswer() && slices.Contains(m.To, trace.EndpointOf(e.To))
	}
	return false
}

// tick begins the names of items that timers give.
const tick = "timer "

func stepOf(e *trace.Entry) Step {
	if e.K == trace.KindItem {
		return Step{From: e.At, To: e.At, Form: "timer", Message: strings.TrimPrefix(e.Name, tick)}
	}
	return Step{From: e.From, To: e.To, Form: e.Form, Message: e.Message, Body: e.Body}
}

// chain is e with its causes. A forest leaves out items that caused nothing, as the last of this chain may be.
func (r recording) chain(e *trace.Entry) string {
	causes := r.causes(e)
	if e.K != trace.KindItem {
		return show.Forest(causes, show.TextOptions{OmitPlace: true})
	}
	before := show.Forest(causes[:len(causes)-1], show.TextOptions{OmitPlace: true})
	return before + strings.Repeat("  ", strings.Count(before, "\n")) + trace.Peer(e.At) + " " + e.Name + "\n"
}

// causes are e and the entries that led to it, the first cause first. Those that the recording lacks end it.
func (r recording) causes(e *trace.Entry) []trace.Entry {
	out := []trace.Entry{*e}
	for e.Cause != "" {
		i := slices.IndexFunc(r.entries, func(x trace.Entry) bool { return x.ID == e.Cause && x.K != trace.KindConn })
		if i < 0 {
			break
		}
		e = &r.entries[i]
		out = append(out, *e)
	}
	slices.Reverse(out)
	return out
}

// conversation is a path through the run of a script: each step is the next message of that form, to that endpoint, of
// that name, "=> endpoint-verifier CheckExistence". An answer is "<= CheckExistence", by the name of its question. What
// follows the name must stand in the message: "-> AppClient ExecutorUpdated state=LOST".
type conversation struct {
	name, title, script string
	steps               []string
}

// follow is the conversation as the recordings have it.
func (c conversation) follow(recordings []recording) (Conversation, error) {
	i := slices.IndexFunc(recordings, func(r recording) bool { return r.script == c.script })
	if i < 0 {
		return Conversation{}, fmt.Errorf("conversation %s: there is no recording %s", c.name, c.script)
	}
	r := recordings[i]
	said, err := c.walk(r)
	if err != nil {
		return Conversation{}, err
	}
	out := Conversation{Name: c.name, Title: c.title, Script: r.path()}
	for i := range said {
		out.Steps = append(out.Steps, stepOf(&said[i]))
	}
	out.Picture = show.Forest(said, show.TextOptions{OmitPlace: true})
	return out, nil
}

// walk is the messages of the steps.
func (c conversation) walk(r recording) ([]trace.Entry, error) {
	var said []trace.Entry
	rest := r.entries
	for _, step := range c.steps {
		at := slices.IndexFunc(rest, func(e trace.Entry) bool { return e.K == trace.KindMsg && isStep(&e, step) })
		if at < 0 {
			return nil, fmt.Errorf("conversation %s: the run of %s has no (further) %q", c.name, r.path(), step)
		}
		said = append(said, rest[at])
		rest = rest[at+1:]
	}
	return said, nil
}

// isStep reports whether e is the message that a step names.
func isStep(e *trace.Entry, step string) bool {
	form := "<= " + e.Type
	switch e.Form {
	case trace.FormSend:
		form = "-> " + trace.EndpointOf(e.To) + " " + e.Type
	case trace.FormAsk:
		form = "=> " + trace.EndpointOf(e.To) + " " + e.Type
	}
	if step == form {
		return true
	}
	text, found := strings.CutPrefix(step, form+" ")
	return found && strings.Contains(show.ObjectText(e.Message, e.Body, e.Cut, show.TextOptions{}), text)
}
