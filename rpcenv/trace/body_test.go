package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

func encode(t testing.TB, m proto.Message) (string, []byte) {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(proto.MessageName(m)), b
}

func TestBody(t *testing.T) {
	tests := []struct {
		name         string
		message      proto.Message
		json, script string
	}{
		{
			"places are left out, numbers and order are the fields'",
			&deploy.RegisterWorker{Id: "worker-1", Host: "h", Port: 1, Cores: 2, Memory: 2048, MasterAddress: &rpc.Address{Host: "m", Port: 7}},
			`{"id":"worker-1","host":"h","port":1,"cores":2,"memory":2048,"masterAddress":{"host":"m","port":7}}`,
			"id=worker-1 cores=2 memory=2048",
		},
		{"no fields", &app.StopExecutor{}, "{}", ""},
		{"a field with presence at zero", &deploy.RegisteredWorker{Duplicate: proto.Bool(false)}, `{"duplicate":false}`, "duplicate=false"},
		{"an enum", &deploy.ExecutorUpdated{State: deploy.ExecutorState_LOST}, `{"state":"LOST"}`, "state=LOST"},
		{"an enum that is not known", &deploy.ExecutorUpdated{State: 99}, `{"state":99}`, "state=99"},
		{
			"a list of messages",
			&deploy.WorkerLatestState{Executors: []*deploy.ExecutorDescription{{AppId: "a", Cores: 1}, {}}, DriverIds: []string{"d 1", "d2"}},
			`{"executors":[{"appId":"a","cores":1},{}],"driverIds":["d 1","d2"]}`,
			`executors=[{appId=a cores=1} {}] driverIds=["d 1" d2]`,
		},
		{
			"bulk is only present, however much it holds",
			&deploy.LaunchExecutor{AppDesc: &deploy.ApplicationDescription{Name: "x", Command: &deploy.Command{Arguments: []string{"a"}}}, Cores: 1},
			`{"appDesc":{"name":"x","command":{"arguments":["a"]}},"cores":1}`, "appDesc=… cores=1",
		},
		{
			"bulk that is a list",
			&storage.MapOutputStatuses{Statuses: []*storage.MapStatus{{Sizes: []int64{1, 2}}}, Epoch: 1 << 60},
			`{"statuses":[{"sizes":[1,2]}],"epoch":1152921504606846976}`, "statuses=… epoch=1152921504606846976",
		},
		{"bytes", wrapperspb.Bytes([]byte("hello")), `{"value":"aGVsbG8="}`, "value=<5 bytes>"},
		{
			"strings that are no word",
			&deploy.WorkerLatestState{DriverIds: []string{"", "a\"b", "tab\t", "new\nline", "\u2028", "ü"}},
			`{"driverIds":["","a\"b","tab\t","new\nline","\u2028","ü"]}`,
			`driverIds=["" "a\"b" "tab\t" "new\nline" "\u2028" ü]`,
		},
		{
			"a map of a user's message, in order of its keys",
			&structpb.Struct{Fields: map[string]*structpb.Value{"b": structpb.NewNumberValue(1.5), "a": structpb.NewBoolValue(true)}},
			`{"fields":{"a":{"boolValue":true},"b":{"numberValue":1.5}}}`, "fields={a={boolValue=true} b={numberValue=1.5}}",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			typ, body := encode(t, tt.message)
			if got, cut := trace.BodyJSON(typ, body); got != tt.json || cut {
				t.Errorf("JSON %s cut %v, want %s", got, cut, tt.json)
			}
			if got := show.BodyText(typ, body, show.TextOptions{OmitPlace: true}); got != tt.script {
				t.Errorf("text %s, want %s", got, tt.script)
			}
		})
	}
}

// Wherever a body is cut, the whole fields before are shown, inside of the message that the cut went through too.
func TestBodyCut(t *testing.T) {
	typ, body := encode(t, &app.LaunchTask{Data: &app.TaskDescription{TaskId: 7, ExecutorId: "0", Name: "task 7", JobArgs: make([]byte, 2000)}})
	want := `{"data":{"taskId":7,"executorId":"0","name":"task 7"}}`
	if got, cut := trace.BodyJSON(typ, body[:1024]); got != want || !cut {
		t.Errorf("%s cut %v, want %s", got, cut, want)
	}
	if got := show.BodyText(typ, body[:1024], show.TextOptions{}); got != `data={taskId=7 executorId=0 name="task 7"} …` {
		t.Error(got)
	}
	for end := range len(body) {
		if got, _ := trace.BodyJSON(typ, body[:end]); !json.Valid([]byte(got)) {
			t.Fatalf("cut at %d: %q", end, got)
		}
	}
}

func TestBodyUnknown(t *testing.T) {
	if got, cut := trace.BodyJSON("no.Such", []byte{8, 1}); got != "" || cut {
		t.Errorf("unknown type: %q %v", got, cut)
	}
	if got, _ := trace.BodyJSON("rpc.Bool", []byte{0x0a, 1, 0xff}); got != "{}" {
		t.Errorf("a field of another type: %q", got)
	}
	if got := show.ObjectText("no.Such", `{"a":{"b":[1,"x y"]}}`, false, show.TextOptions{}); got != `a={b=[1 "x y"]}` {
		t.Errorf("text without a type: %q", got)
	}
	for _, s := range []string{"", "x", "[1]", `{"a":`, `{"a"`, strings.Repeat(`{"a":`, 10000)} {
		if got := show.ObjectText("", s, false, show.TextOptions{}); got != "" {
			t.Errorf("%.20q gives %.20q", s, got)
		}
	}
}

func TestTextLimits(t *testing.T) {
	got := show.ObjectText("", `{"a":["one","two","three"],"b":"abcdef"}`, false, show.TextOptions{MaxList: 2, MaxString: 4})
	if got != "a=[one two …] b=abc…" {
		t.Error(got)
	}
}

func FuzzBody(f *testing.F) {
	for _, m := range []proto.Message{
		&deploy.RegisterWorker{Id: "w", Cores: 2}, &app.LaunchTask{Data: &app.TaskDescription{TaskId: 1, Shuffles: []int32{1, 2}}},
		&rpc.Failure{Code: "x"}, wrapperspb.Double(1.5),
	} {
		typ, body := encode(f, m)
		f.Add(typ, body)
	}
	f.Fuzz(func(t *testing.T, typ string, body []byte) {
		object, cut := trace.BodyJSON(typ, body)
		if object != "" && !json.Valid([]byte(object)) {
			t.Fatalf("no JSON: %q", object)
		}
		if again, _ := trace.BodyJSON(typ, body); again != object {
			t.Fatalf("%q, then %q", object, again)
		}
		show.ObjectText(typ, object, cut, show.TextOptions{OmitPlace: true, MaxList: 3})
	})
}
