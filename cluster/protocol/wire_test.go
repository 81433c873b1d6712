package protocol

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
)

// TestTheWireIsKept: peers of other versions send and expect what testdata/wire.txt says, so a line of it must go on to hold. It has
// MESSAGE NUMBER, MESSAGE FIELD-NUMBER TYPE NAME and ENUM NUMBER NAME; names stand in traces and JSON. -rewrite adds what is new,
// and refuses what breaks: when a break is meant, take its line out by hand.
func TestTheWireIsKept(t *testing.T) {
	const file = "testdata/wire.txt"
	committed, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	now := wire()
	for line := range strings.Lines(string(committed)) {
		if _, holds := slices.BinarySearch(now, line); !holds {
			t.Errorf("a peer of another version sends or expects %q: give what is new a new number", strings.TrimSpace(line))
		}
	}
	if !t.Failed() {
		golden(t, file, []byte(strings.Join(now, "")))
	}
}

// wire is what peers have to agree on, sorted.
func wire() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format+"\n", args...)) }
	enums := func(all protoreflect.EnumDescriptors) {
		for i := range all.Len() {
			for v := range all.Get(i).Values().Len() {
				v := all.Get(i).Values().Get(v)
				add("%s %d %s", all.Get(i).FullName(), v.Number(), v.Name())
			}
		}
	}
	var messages func(protoreflect.MessageDescriptors)
	messages = func(all protoreflect.MessageDescriptors) {
		for i := range all.Len() {
			m := all.Get(i)
			if o, _ := proto.GetExtension(m.Options(), option.E_Protocol).(*option.Protocol); o != nil {
				add("%s %d", m.FullName(), o.GetNumber())
			}
			for f := range m.Fields().Len() {
				f := m.Fields().Get(f)
				kind := f.Kind().String()
				if f.Message() != nil {
					kind = string(f.Message().FullName())
				} else if f.Enum() != nil {
					kind = string(f.Enum().FullName())
				}
				add("%s %d %s-%s %s", m.FullName(), f.Number(), f.Cardinality(), kind, f.Name())
			}
			messages(m.Messages())
			enums(m.Enums())
		}
	}
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(f.Path(), "proto/") {
			messages(f.Messages())
			enums(f.Enums())
		}
		return true
	})
	slices.Sort(lines)
	return lines
}
