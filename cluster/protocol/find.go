package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// ErrUnknown is a name that no message, endpoint or conversation has.
var ErrUnknown = errors.New("nothing in the protocol is called")

// maxSuggestions bounds the names that the error for an unknown name proposes.
const maxSuggestions = 5

// Find is everything called name: messages by full or short name or by Spark's class, records, enums, endpoints,
// conversations. Letters of another case are taken when nothing is called exactly so. Two packages may have a message of
// one short name; then both are found. Otherwise the error is ErrUnknown and proposes near names.
func (p *Protocol) Find(name string) (*Protocol, error) {
	// Exactly first, since names may differ in case alone.
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		found := p.named(func(names []string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return same(n, name) })
		})
		if found != nil {
			return found, nil
		}
	}
	// People ask for a process, too, such as NodeManager: its endpoints help more than a similar name.
	var within []string
	for _, e := range p.Endpoints {
		if place := strings.Fields(e.Where); len(place) > 1 && strings.EqualFold(strings.TrimSuffix(place[1], ","), name) { // "a NodeManager"
			within = append(within, e.Name)
		}
	}
	if len(within) > 0 {
		return nil, fmt.Errorf("%w %q, a process: its endpoints are %s", ErrUnknown, name, strings.Join(within, ", "))
	}
	near := p.near(name)
	if len(near) == 0 {
		return nil, fmt.Errorf("%w %q: explain without a name lists endpoints and conversations", ErrUnknown, name)
	}
	return nil, fmt.Errorf("%w %q: did you mean %s?", ErrUnknown, name, strings.Join(near, ", "))
}

// named is the part of p with wanted names; nil: empty.
func (p *Protocol) named(wanted func(names []string) bool) *Protocol {
	found := &Protocol{}
	for _, m := range p.Messages {
		if wanted(m.names()) {
			found.Messages = append(found.Messages, m)
		}
	}
	for _, e := range p.Endpoints {
		if wanted(e.names()) {
			found.Endpoints = append(found.Endpoints, e)
		}
	}
	for _, c := range p.Conversations {
		if wanted([]string{c.Name}) {
			found.Conversations = append(found.Conversations, c)
		}
	}
	if found.Messages == nil && found.Endpoints == nil && found.Conversations == nil {
		return nil
	}
	return found
}

func (m *Message) names() []string { return append([]string{m.Name, short(m.Name)}, class(m.Spark)...) }

func (e *Endpoint) names() []string { return append([]string{e.Name, e.Type}, class(e.Spark)...) }

// class is a class of Spark, and it without its package.
func class(spark string) []string {
	spark, _, _ = strings.Cut(spark, ",")
	if spark == "" {
		return nil
	}
	return []string{spark, short(spark)}
}

// short is the part of a name behind its last dot.
func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// near are names like name: the nearest one, then those that name is a part of.
func (p *Protocol) near(name string) []string {
	var all []string
	for _, m := range p.Messages {
		all = append(all, short(m.Name))
	}
	for _, e := range p.Endpoints {
		all = append(all, e.Name)
	}
	for _, c := range p.Conversations {
		all = append(all, c.Name)
	}
	var out []string
	if n, ok := conf.Nearest(short(name), all); ok {
		out = append(out, n)
	}
	part := strings.ToLower(name)
	for _, n := range all {
		if len(part) > 2 && len(out) < maxSuggestions && strings.Contains(strings.ToLower(n), part) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
