package codec

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/messages/rpc"
)

func load(t testing.TB) *Table {
	t.Helper()
	table, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestContent(t *testing.T) {
	table := load(t)
	for _, test := range []struct {
		m    proto.Message
		want string
	}{
		{&rpc.Bool{Value: true}, "CH\x00\x02\x08\x01"},
		{&rpc.CheckExistence{Name: "E"}, "CH\x00\x01\x0a\x01E"},
		{wrapperspb.String("x"), "CH\x00\x00\x1bgoogle.protobuf.StringValue\x0a\x01x"},
		// The lengths of what lies inside are those of this message, not of an earlier one.
		{structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("x")}}), "CH\x00\x00\x15google.protobuf.Value\x32\x05\x0a\x03\x1a\x01x"},
	} {
		got, err := table.Append([]byte("before"), test.m)
		if err != nil || string(got) != "before"+test.want {
			t.Errorf("%T: %q %v", test.m, got, err)
			continue
		}
		content := got[len("before"):]
		back, err := table.Decode(content)
		if err != nil || !proto.Equal(back, test.m) {
			t.Errorf("%T: back %v %v", test.m, back, err)
		}
		want, _ := proto.Marshal(test.m)
		if string(table.Body(content)) != string(want) {
			t.Errorf("%T: body %q, want %q", test.m, table.Body(content), want)
		}
	}
}

func TestWhatIsNoContent(t *testing.T) {
	table := load(t)
	for _, test := range []struct{ name, content, text string }{
		{"nothing", "", "0 bytes"},
		{"a beginning", "CH\x00", "3 bytes"},
		{"a stream of Java", "\xAC\xED\x00\x05", "a Java serialization stream: the peer is a real Spark process"},
		{"another protocol", "GET / HTTP/1.1", `begins with 47 45, want "CH"`},
		{"the first byte of ours only", "CA\x00\x02\x08\x01", `begins with 43 41, want "CH"`},
		{"the second byte of ours only", "AH\x00\x02\x08\x01", `begins with 41 48, want "CH"`},
		{"the first byte of Java only", "\xAC\x00\x00\x05", `begins with ac 00, want "CH"`},
		{"the second byte of Java only", "\x00\xED\x00\x05", `begins with 00 ed, want "CH"`},
		{"an unknown number", "CH\xFF\xFE", "no message has number 65534"},
		{"no name", "CH\x00\x00", "the name is cut short"},
		{"a name cut short", "CH\x00\x00\x09rpc.Bool", "the name is cut short"},
		{"an unknown name", "CH\x00\x00\x08rpc.None", `no message is called "rpc.None"`},
		{"a broken message", "CH\x00\x02\x08", "rpc.Bool"},
	} {
		if m, err := table.Decode([]byte(test.content)); !errors.Is(err, ErrUndecodable) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v %v", test.name, m, err)
		}
		// Body does not look at the message: only this Env's own contents have to be right.
		body, ours := table.Body([]byte(test.content)), strings.Contains(test.name, "unknown") || test.name == "a broken message"
		if body != nil != ours {
			t.Errorf("%s: it has the body %q", test.name, body)
		}
	}
}

// A map has no order of its own.
func TestOneMessageHasOneEncoding(t *testing.T) {
	m := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for i := range 64 {
		m.Fields[strings.Repeat("k", i+1)] = structpb.NewBoolValue(true)
	}
	table := load(t)
	first, err := table.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if again, err := table.Append(nil, m); err != nil || string(again) != string(first) {
			t.Fatalf("%q %v, want %q", again, err, first)
		}
	}
}

func TestANameHasAByteForItsLength(t *testing.T) {
	for length, ok := range map[int]bool{255: true, 256: false} {
		name := strings.Repeat("M", length-len("test."))
		m := dynamicpb.NewMessage(testFile(t, &descriptorpb.DescriptorProto{Name: &name}).Messages().Get(0))
		content, err := load(t).Append(nil, m)
		switch {
		case ok && (err != nil || string(content) != "CH\x00\x00\xfftest."+name):
			t.Errorf("%d bytes: %q %v", length, content, err)
		case !ok && (err == nil || !strings.HasSuffix(err.Error(), ": a name has at most 255 bytes")):
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

func TestInvalidTextIsNotSent(t *testing.T) {
	if _, err := load(t).Append(nil, wrapperspb.String("\xff")); err == nil || !strings.Contains(err.Error(), "encode google.protobuf.StringValue") {
		t.Error(err)
	}
}

func TestProtocol(t *testing.T) {
	table := load(t)
	if p := table.Protocol("rpc.CheckExistence"); p.GetReply() != "rpc.Bool" || len(p.GetTo()) != 1 || p.GetTo()[0] != "endpoint-verifier" {
		t.Error(p)
	}
	if table.Protocol("google.protobuf.StringValue") != nil {
		t.Error("a message without the option has one")
	}
}

// testFile is a file of the package test with these messages.
func testFile(t *testing.T, messages ...*descriptorpb.DescriptorProto) protoreflect.FileDescriptor {
	t.Helper()
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("test.proto"), Package: proto.String("test"), Syntax: proto.String("proto3"), MessageType: messages,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestNumbersAreOneToOne(t *testing.T) {
	for _, test := range []struct {
		numbers []uint32
		want    string // "" no error
	}{
		{[]uint32{1, 2, 65535}, ""},
		{[]uint32{7, 7}, "test.M0 and test.M1 both have 7: give one of them another"},
		{[]uint32{0}, "test.M0 has 0: want 1 to 65535"},
		{[]uint32{65536}, "test.M0 has 65536: want 1 to 65535"},
	} {
		var messages []*descriptorpb.DescriptorProto
		for i, n := range test.numbers {
			o := &descriptorpb.MessageOptions{}
			proto.SetExtension(o, option.E_Protocol, &option.Protocol{Number: n})
			messages = append(messages, &descriptorpb.DescriptorProto{Name: proto.String("M" + string(rune('0'+i))), Options: o})
		}
		fd := testFile(t, messages...)
		types := &protoregistry.Types{}
		for i := range fd.Messages().Len() {
			if err := types.RegisterMessage(dynamicpb.NewMessageType(fd.Messages().Get(i))); err != nil {
				t.Fatal(err)
			}
		}
		_, err := newTable(types)
		if (err != nil) != (test.want != "") || err != nil && (!errors.Is(err, ErrNumber) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v: %v, want %s", test.numbers, err, test.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	table := load(f)
	for _, m := range []proto.Message{&rpc.Bool{Value: true}, &rpc.Hello{Env: "A", Nonce: []byte{1}}, wrapperspb.String("x")} {
		content, err := table.Append(nil, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
		f.Add(content[:len(content)-1])
	}
	f.Add([]byte("CH\x00\x00\xff"))
	f.Add([]byte{0xAC, 0xED, 0, 5})
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := table.Decode(content)
		if err != nil {
			if !errors.Is(err, ErrUndecodable) {
				t.Error(err)
			}
			return
		}
		again, err := table.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := table.Decode(again)
		if err != nil || !proto.Equal(m, back) {
			t.Errorf("%v: back %v %v", m, back, err)
		}
	})
}
