package codec

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
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
		{"another protocol", "GET / HTTP/1.1", "begins with 47 45"},
		{"an unknown number", "CH\xFF\xFE", "no message has number 65534"},
		{"no name", "CH\x00\x00", "the name is cut short"},
		{"a name cut short", "CH\x00\x00\x09rpc.Bool", "the name is cut short"},
		{"an unknown name", "CH\x00\x00\x08rpc.None", `no message is called "rpc.None"`},
		{"a broken message", "CH\x00\x02\x08", "rpc.Bool"},
	} {
		if m, err := table.Decode([]byte(test.content)); !errors.Is(err, ErrUndecodable) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v %v", test.name, m, err)
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
		file := &descriptorpb.FileDescriptorProto{Name: proto.String("test.proto"), Package: proto.String("test"), Syntax: proto.String("proto3")}
		for i, n := range test.numbers {
			o := &descriptorpb.MessageOptions{}
			proto.SetExtension(o, option.E_Protocol, &option.Protocol{Number: n})
			file.MessageType = append(file.MessageType, &descriptorpb.DescriptorProto{Name: proto.String("M" + string(rune('0'+i))), Options: o})
		}
		fd, err := protodesc.NewFile(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		types := &protoregistry.Types{}
		for i := range fd.Messages().Len() {
			if err := types.RegisterMessage(dynamicpb.NewMessageType(fd.Messages().Get(i))); err != nil {
				t.Fatal(err)
			}
		}
		_, err = newTable(types)
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
