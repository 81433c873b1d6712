package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Vocabulary are the names that a filter can mean: the peers of a trace and their roles, and the endpoints and messages of
// the trace and of the protocol. Each list is sorted. An empty Peers means that no peer is known yet: then any name passes.
type Vocabulary struct {
	Peers, Endpoints, Messages []string
}

// VocabularyOf are the names of a trace and of the protocol.
func VocabularyOf(t *Trace) Vocabulary {
	v := protocolNames() // a filter for a message of the protocol that the trace does not have is no mistake
	for i := range t.Entries {
		e := &t.Entries[i]
		places := []string{e.At}
		if e.K == KindMsg || e.K == KindDrop {
			places = []string{e.From, e.To}
		}
		for _, p := range places {
			v.Peers = append(v.Peers, Peer(p))
			v.Endpoints = append(v.Endpoints, EndpointOf(p))
			if !strings.Contains(p, ":") { // an address has no role
				v.Peers = append(v.Peers, Role(Peer(p)))
			}
		}
		v.Messages = append(v.Messages, e.Type, ShortName(e.Message))
	}
	for _, names := range []*[]string{&v.Peers, &v.Endpoints, &v.Messages} {
		*names = set(*names)
	}
	return v
}

// set sorts names and leaves each of them once, the empty one out.
func set(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}

// protocolNames are the names in the options of all messages that the program knows.
func protocolNames() Vocabulary {
	var v Vocabulary
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		p, ok := proto.GetExtension(mt.Descriptor().Options(), option.E_Protocol).(*option.Protocol)
		if ok && p.GetNumber() != 0 {
			v.Messages = append(v.Messages, string(mt.Descriptor().Name()))
			v.Endpoints = append(append(v.Endpoints, p.GetFrom()...), p.GetTo()...)
		}
		return true
	})
	v.Endpoints = slices.DeleteFunc(v.Endpoints, func(s string) bool { return s == "*" })
	return v
}

// Check wants each name of the filters of s to be one of v's. The error joins a *FilterError per unknown name, with a near
// name or a list of the known ones.
func (v Vocabulary) Check(s Selection) error {
	var errs []error
	for _, f := range slices.Concat(s.Any, s.Not) {
		errs = append(errs, v.checkPlace(f, 0, f.From), v.checkPlace(f, len(f.From)+len(filterArrow), f.To))
		if !slices.ContainsFunc(v.Messages, func(name string) bool { return glob(f.Message, name) }) {
			at := len(f.From) + len(filterArrow) + len(f.To) + 1
			errs = append(errs, unknown(f, at, "message "+f.Message+" in this trace nor in the protocol", f.Message, v.Messages))
		}
	}
	return errors.Join(errs...)
}

func (v Vocabulary) checkPlace(f Filter, at int, p string) error {
	peer, endpoint, divided := strings.Cut(p, "/")
	if peer != "*" && len(v.Peers) > 0 && !slices.ContainsFunc(v.Peers, func(name string) bool { return matchPeer(peer, name) }) {
		return unknown(f, at, "peer "+peer+" in this trace", peer, v.Peers)
	}
	if divided && endpoint != "*" && !slices.ContainsFunc(v.Endpoints, func(name string) bool { return glob(endpoint, name) }) {
		return unknown(f, at+len(peer)+1, "endpoint "+endpoint+" in this trace nor in the protocol", endpoint, v.Endpoints)
	}
	return nil
}

func unknown(f Filter, at int, what, name string, names []string) error {
	text := f.String()
	return &FilterError{text, utf8.RuneCountInString(text[:at]) + 1, "there is no " + what + ": " + nearNames(name, names)}
}

// listed bounds a list of names in an error.
const listed = 12

// nearNames names the one that was probably meant, or lists those of the vocabulary.
func nearNames(name string, names []string) string {
	if near, ok := conf.Nearest(name, names); ok {
		return "did you mean " + near + "?"
	}
	// A word that is the beginning or a part of a name was perhaps meant for it.
	parts := slices.DeleteFunc(slices.Clone(names), func(s string) bool {
		return len(name) < 3 || !strings.Contains(strings.ToLower(s), strings.ToLower(strings.Trim(name, "*")))
	})
	if len(parts) > 0 {
		names = parts
	}
	if len(names) == 0 {
		return "no names are known"
	}
	if len(names) > listed { // NM stands for NM1 and NM2
		names = slices.DeleteFunc(slices.Clone(names), func(s string) bool {
			role := strings.TrimRight(s, "0123456789")
			return role != s && slices.Contains(names, role)
		})
	}
	are := "there are "
	if len(names) == 1 {
		are = "there is "
	}
	text := are + strings.Join(names[:min(len(names), listed)], ", ")
	if more := len(names) - listed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
