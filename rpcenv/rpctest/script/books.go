package script

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// Books is a message as a Subject's State can print it: its plain fields on one line, and a line for each message in it, behind
// the name of its field. A what that is not empty lists the fields that are wanted.
func Books(m proto.Message, what string) string {
	r, plain := m.ProtoReflect(), proto.CloneOf(m).ProtoReflect()
	wanted := strings.Fields(what)
	var parts strings.Builder
	fields := r.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		out := len(wanted) > 0 && !slices.Contains(wanted, fd.JSONName())
		if fd.Message() == nil && !out || !r.Has(fd) {
			continue
		}
		plain.Clear(fd)
		switch {
		case out:
		case fd.IsList():
			for j := range r.Get(fd).List().Len() {
				fmt.Fprintf(&parts, "%s %s\n", fd.JSONName(), bodyText(r.Get(fd).List().Get(j).Message()))
			}
		default:
			fmt.Fprintf(&parts, "%s %s\n", fd.JSONName(), bodyText(r.Get(fd).Message()))
		}
	}
	return strings.TrimPrefix(bodyText(plain)+"\n"+parts.String(), "\n")
}

// Fill sets fields of m, which are written as in a message: a verb of a Subject fills what its script leaves out.
func Fill[M proto.Message](m M, fields string) (M, error) {
	said, err := syntax.ParseMessage(string(m.ProtoReflect().Descriptor().FullName()) + "(" + fields + ")")
	if err == nil {
		proto.Merge(m, said)
	}
	return m, err
}

func bodyText(m protoreflect.Message) string {
	body, err := proto.Marshal(m.Interface())
	if err != nil {
		return err.Error()
	}
	return show.BodyText(string(m.Descriptor().FullName()), body, show.TextOptions{OmitPlace: true})
}
