package syntax

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

func TestParseMessage(t *testing.T) {
	for text, want := range map[string]proto.Message{
		"StopExecutor()": &app.StopExecutor{},
		"RegisterWorker(id=worker-1 cores=2 memory=2048)":        &deploy.RegisterWorker{Id: "worker-1", Cores: 2, Memory: 2048},
		"deploy.RegisterWorker( id=w )":                          &deploy.RegisterWorker{Id: "w"},
		`StringValue(value="Ada \"Countess\" Lovelace")`:         wrapperspb.String(`Ada "Countess" Lovelace`),
		"LaunchTask(data={taskId=7 name=\"task 7\"})":            &app.LaunchTask{Data: &app.TaskDescription{TaskId: 7, Name: "task 7"}},
		"LaunchTask(data={shuffles=[1 2]})":                      &app.LaunchTask{Data: &app.TaskDescription{Shuffles: []int32{1, 2}}},
		"BytesValue(value=\"\\x00\\xff\")":                       wrapperspb.Bytes([]byte{0, 255}),
		"DoubleValue(value=-1.5e300)":                            wrapperspb.Double(-1.5e300),
		"DoubleValue(value=-Infinity)":                           wrapperspb.Double(math.Inf(-1)),
		"ExecutorStateChanged(appId=$A state=RUNNING)":           &deploy.ExecutorStateChanged{AppId: "$A", State: deploy.ExecutorState_RUNNING},
		"ExecutorStateChanged(state=77)":                         &deploy.ExecutorStateChanged{State: 77},
		"true":                                                   &rpc.Bool{Value: true},
		"false":                                                  &rpc.Bool{},
		`Struct(fields={a={numberValue=1} "b c"={nullValue=0}})`: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewNumberValue(1), "b c": structpb.NewNullValue()}},
	} {
		got, err := ParseMessage(text)
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%s: %v %v, want %v", text, got, err, want)
		}
	}
}

func TestWhatIsNoMessage(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "column 1: want MESSAGE(FIELD=VALUE ...)",
		"RegisterWorkr(id=w)":                  "column 1: no message is called RegisterWorkr: RegisterWorker is near",
		"Xyzzyplugh()":                         "column 1: no message is called Xyzzyplugh",
		"StopExecutor":                         "column 13: want ( behind StopExecutor",
		"StopExecutor() now":                   `column 15: " now" behind the message`,
		"StopExecutor(":                        "column 14: want )",
		"RegisterWorker(id=w cores)":           "column 26: want = behind cores",
		"RegisterWorker(id=w masterAddres={)":  "column 21: no field of RegisterWorker is called masterAddres: masterAddress is near",
		"RegisterWorker(id=w id=v)":            "column 21: id is there already",
		"RegisterWorker(id=)":                  `column 19: want a value, not ")"`,
		"RegisterWorker(id=é cores=two)":       "column 27: cores=two: want int32",
		"RegisterWorker(cores=3000000000)":     "column 22: cores=3000000000: too large or too small for int32",
		"RegisterWorker(id=w, cores=1)":        `column 20: want a blank between values, not ","`,
		"RegisterWorker(, id=w)":               `column 16: want FIELD=VALUE or ), not ","`,
		`RegisterWorker(id="w)`:                "column 19: these quotes do not end, or hold what Go's may not",
		"RegisterWorker(masterAddress=m)":      "column 30: masterAddress is a Address: want {FIELD=VALUE ...}",
		"LaunchTask(data={shuffles=1})":        "column 27: shuffles is a list: want [VALUE ...]",
		"LaunchTask(data=…)":                   "column 17: data is a TaskDescription: want {FIELD=VALUE ...}",
		"LaunchTask(data={jobArgs=<3 bytes>})": "column 26: jobArgs is printed as the number of its bytes: write them as a string",
		"RegisterWorker(id=…)":                 "column 19: … stands for what was not printed: write it out",
		"RegisterWorker(id=w …)":               "column 21: … stands for what was not printed: write it out",
		"ExecutorStateChanged(state=RUNNNG)":   "column 28: no value of ExecutorState is called RUNNNG: RUNNING is near",
		"BoolValue(value=yes)":                 "column 17: value=yes: want bool",
		"Value(boolValue=true numberValue=1)":  "column 22: numberValue: there is boolValue already, and kind is one of them",
		"Struct(fields=1)":                     "column 15: fields is a map: want {KEY=VALUE ...}",
		strings.Repeat("x", maxText+1):         "column 1: a message of 65537 bytes: at most 65536 can be written",
		"Value(listValue=" + strings.Repeat("{values=[{listValue=", 40): "a message nested deeper than 32",
	} {
		_, err := ParseMessage(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v\nwant %s", text, err, want)
		}
	}
}

// Two messages may have one short name: the one with the protocol option is meant, and of two such neither.
func TestMessagesOfOneName(t *testing.T) {
	names := map[string][]string{}
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		d := mt.Descriptor()
		names[string(d.Name())] = append(names[string(d.Name())], string(d.FullName()))
		return true
	})
	ambiguous := 0
	for short, full := range names {
		if len(full) == 1 {
			continue
		}
		slices.Sort(full)
		if _, err := FindMessage(short); err != nil {
			ambiguous++
			if want := short + " could be " + strings.Join(full, " or ") + ": write which"; err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		for _, name := range full {
			if mt, err := FindMessage(name); err != nil || string(mt.Descriptor().FullName()) != name {
				t.Error(name, err)
			}
		}
	}
	if ambiguous == 0 {
		t.Error("no two messages have one name: the test says nothing")
	}
}

// What the forest prints can be read, whatever the message.
func TestWhatIsPrintedCanBeRead(t *testing.T) {
	var types []protoreflect.MessageType
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		if mt.Descriptor().ParentFile().Package() != "google.protobuf" || mt.Descriptor().Name() == "Value" {
			types = append(types, mt)
		}
		return true
	})
	slices.SortFunc(types, func(a, b protoreflect.MessageType) int {
		return strings.Compare(string(a.Descriptor().FullName()), string(b.Descriptor().FullName()))
	})
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(types).Draw(t, "type").New()
		fill(t, m, 0)
		name := string(m.Descriptor().FullName())
		body, err := proto.Marshal(m.Interface())
		if err != nil {
			t.Skip("not UTF-8")
		}
		text := name + "(" + show.BodyText(name, body, show.TextOptions{}) + ")"
		got, err := ParseMessage(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !proto.Equal(got, m.Interface()) {
			t.Fatalf("%s\nis read as %v", text, got)
		}
	})
}

// fill sets some fields of m to what can be printed: no bytes, no field of which only the presence is shown.
func fill(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if of := fd.ContainingOneof(); of != nil && m.WhichOneof(of) != nil || bulk(fd) || !rapid.Bool().Draw(t, "set") {
			continue
		}
		if fd.Message() != nil && depth > 3 {
			continue
		}
		switch {
		case fd.IsMap():
			mm := m.Mutable(fd).Map()
			for range rapid.IntRange(1, 3).Draw(t, "entries") {
				mm.Set(leaf(t, fd.MapKey()).MapKey(), element(t, fd.MapValue(), mm.NewValue, depth))
			}
		case fd.IsList():
			l := m.Mutable(fd).List()
			for range rapid.IntRange(1, 3).Draw(t, "elements") {
				l.Append(element(t, fd, l.NewElement, depth))
			}
		default:
			m.Set(fd, element(t, fd, func() protoreflect.Value { return m.NewField(fd) }, depth))
		}
	}
}

func bulk(fd protoreflect.FieldDescriptor) bool {
	if fd.Kind() == protoreflect.BytesKind {
		return true
	}
	role, _ := proto.GetExtension(fd.Options(), option.E_Role).(option.FieldRole)
	return role == option.FieldRole_BULK
}

func element(t *rapid.T, fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value, depth int) protoreflect.Value {
	if fd.Message() == nil {
		return leaf(t, fd)
	}
	v := fresh()
	fill(t, v.Message(), depth+1)
	return v
}

func leaf(t *rapid.T, fd protoreflect.FieldDescriptor) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.ReplaceAll(rapid.String().Draw(t, "string"), "…", "."))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32Range(0, 20).Draw(t, "enum")))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "int32"))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "int64"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "uint32"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "uint64"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(rapid.Float32().Draw(t, "float"))
	}
	return protoreflect.ValueOfFloat64(rapid.Float64().Draw(t, "double"))
}
