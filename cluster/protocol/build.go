package protocol

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	// The messages that Coherer's roles exchange.
	_ "github.com/coherer/coherer/messages/app"
	_ "github.com/coherer/coherer/messages/deploy"
	_ "github.com/coherer/coherer/messages/rpc"
	_ "github.com/coherer/coherer/messages/storage"
	_ "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Load is the protocol as this program knows it. The work is done once.
var Load = sync.OnceValues(func() (*Protocol, error) {
	s, err := readSource(sourceJSON)
	if err != nil {
		return nil, err
	}
	r, err := readRecordings()
	if err != nil {
		return nil, err
	}
	return build(s, r)
})

// build puts the sources together. Its error names the conversations that the recordings do not have.
func build(s source, recordings []recording) (*Protocol, error) {
	p := &Protocol{Deviations: s.Deviations}
	p.Messages = append(protoMessages(), locals(s)...)
	for i := range p.Messages {
		m := &p.Messages[i]
		for _, u := range s.Handlers {
			if u.Message == m.Name {
				m.Handlers = append(m.Handlers, u.Place)
			}
		}
		for _, u := range s.Makers {
			if u.Message == m.Name {
				m.Makers = append(m.Makers, u.Place)
			}
		}
		if m.Kind == kindLocal {
			m.From, m.To = endpointsIn(m.Makers), endpointsIn(m.Handlers)
		}
		m.Example = example(recordings, m)
		if m.Kind == kindLocal && len(m.From) == 0 && m.Example != nil {
			// Its maker is no endpoint, so the source does not name the sender; a recorded run does.
			m.From = []string{trace.EndpointOf(m.Example.From)}
		}
	}
	answers(p.Messages) // before the endpoints, which list what they send and handle
	p.Endpoints = endpoints(s, p.Messages)
	var errs []error
	for _, c := range conversations {
		held, err := c.follow(recordings)
		if err != nil { // all of them, so that one -rewrite after a change shows what else it moved
			errs = append(errs, err)
			continue
		}
		p.Conversations = append(p.Conversations, held)
		p.mention(held)
	}
	return p, errors.Join(errs...)
}

// mention enters a conversation into the messages that take part, and their comments into its steps.
func (p *Protocol) mention(c Conversation) {
	for i := range p.Messages {
		m := &p.Messages[i]
		part := false
		// A trace has only the bare name of a Local; the endpoint that handles it tells two of one name apart.
		for j := range c.Steps {
			if s := &c.Steps[j]; s.Message == m.Name || m.Kind == kindLocal && s.Message == short(m.Name) && slices.Contains(m.To, s.endpoint()) {
				part = true
				s.Message = m.Name
				s.Comment = firstSentence(m.Comment)
			}
		}
		if part {
			m.Conversations = append(m.Conversations, c.Name)
		}
	}
}

// endpoint is whose message a step is.
func (s *Step) endpoint() string { return trace.EndpointOf(s.To) }

func firstSentence(s string) string {
	first, _, more := strings.Cut(strings.Join(strings.Fields(s), " "), ". ")
	if more {
		first += "."
	}
	return first
}

func endpointsIn(places []Place) []string {
	var out []string
	for _, p := range places {
		if p.Endpoint != "" && !slices.Contains(out, p.Endpoint) {
			out = append(out, p.Endpoint)
		}
	}
	return out
}

// locals are the messages that stay within an Env.
func locals(s source) []Message {
	var out []Message
	for _, l := range s.Locals {
		out = append(out, Message{Name: l.Name, Kind: kindLocal, Comment: l.Doc, Reply: l.Reply, Fields: l.Fields})
	}
	slices.SortFunc(out, func(a, b Message) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func endpoints(s source, messages []Message) []Endpoint {
	var out []Endpoint
	for _, d := range s.Endpoints {
		e := Endpoint{
			Name: d.Name, Comment: d.Doc, Where: homes[d.Name].where, Spark: homes[d.Name].spark, Type: d.Type, File: d.File,
		}
		for _, m := range messages {
			if slices.ContainsFunc(m.Handlers, func(p Place) bool { return p.Endpoint == e.Name }) {
				e.Handles = append(e.Handles, m.Name)
			}
			if slices.ContainsFunc(m.Makers, func(p Place) bool { return p.Endpoint == e.Name }) {
				e.Sends = append(e.Sends, m.Name)
			}
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Endpoint) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out
}
