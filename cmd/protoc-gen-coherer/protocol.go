package main

import (
	"errors"
	"fmt"
	"path"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/messages/option"
)

// messagesPath is the import path below which Coherer's own messages lie; all others are users'.
const messagesPath = "github.com/coherer/coherer/messages"

// numbers is the range of message numbers of a folder.
type numbers struct{ first, last uint32 }

// users is the range for messages of other modules.
var users = numbers{10_000, 65_535}

// folders are the ranges below messagesPath. They never change.
var folders = map[string]numbers{
	"rpc":     {1, 99},
	"deploy":  {100, 999},
	"app":     {1_000, 1_999},
	"storage": {2_000, 2_999},
	"yarn":    {3_000, 3_999},
	"trace":   {4_000, 4_999},
}

// message is one that carries the option.
type message struct {
	*protogen.Message
	file   *protogen.File
	option *option.Protocol
}

// protocol is the messages of all files of a request.
type protocol struct {
	messages []message                                   // those with the option, in the request's order
	byName   map[protoreflect.FullName]*protogen.Message // all
}

// collect reads all messages of files, nested ones too.
func collect(files []*protogen.File) protocol {
	p := protocol{byName: map[protoreflect.FullName]*protogen.Message{}}
	for _, f := range files {
		p.add(f, f.Messages)
	}
	return p
}

func (p *protocol) add(f *protogen.File, ms []*protogen.Message) {
	for _, m := range ms {
		p.byName[m.Desc.FullName()] = m
		if o := m.Desc.Options(); proto.HasExtension(o, option.E_Protocol) {
			p.messages = append(p.messages, message{m, f, proto.GetExtension(o, option.E_Protocol).(*option.Protocol)})
		}
		p.add(f, m.Messages)
	}
}

// check reports all contradictions at once: a request is a whole protocol.
func (p *protocol) check() error {
	var problems []error
	taken := map[uint32]message{}
	for _, m := range p.messages {
		problem := func(format string, args ...any) {
			where := fmt.Sprintf("%s: message %s: ", m.file.Desc.Path(), m.Desc.FullName())
			problems = append(problems, fmt.Errorf(where+format, args...))
		}
		n := m.option.GetNumber()
		if err := inRange(n, m.file.GoImportPath); err != nil {
			problem("%w", err)
		}
		// 0 is a number that was left out, which inRange has reported: several of them do not clash.
		if other, ok := taken[n]; ok && n != 0 {
			problem("number %d is that of %s in %s already: choose a free one", n, other.Desc.FullName(), other.file.Desc.Path())
		} else {
			taken[n] = m
		}
		if r := m.option.GetReply(); r != "" && p.byName[protoreflect.FullName(r)] == nil {
			problem("reply %q is no message of this file or of those it imports: "+
				"write the full protobuf name, such as rpc.Bool, and import its file", r)
		}
	}
	return errors.Join(problems...)
}

// inRange returns why a message of the Go package importPath cannot have number n.
func inRange(n uint32, importPath protogen.GoImportPath) error {
	if n == 0 || n > users.last {
		return fmt.Errorf("number %d: the option wants a number from 1 to %d", n, users.last)
	}
	want, whose := users, "messages outside Coherer"
	if dir, folder := path.Split(string(importPath)); path.Clean(dir) == messagesPath {
		var ok bool
		if want, ok = folders[folder]; !ok {
			return fmt.Errorf("number %d: folder messages/%s has no range: give it one in protoc-gen-coherer", n, folder)
		}
		whose = "messages/" + folder
	}
	if n < want.first || n > want.last {
		return fmt.Errorf("number %d: %s have %d to %d", n, whose, want.first, want.last)
	}
	return nil
}
