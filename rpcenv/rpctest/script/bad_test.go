package script

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// echo answers with what it is asked.
type echo struct{}

func (echo) Receive(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, m) }

func echoes(w *rpctest.World) Subject {
	return Subject{Ref: w.Register(w.Env("Server", nil), "Echo", echo{})}
}

func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	for line, want := range map[string]string{
		"sned StringValue(value=x)":               "f.txt:8:1: no verb is called sned: there are advance, ask, changes, connect, disconnect, fail, gaps, log, off, on, pause, places, reply, resume, send, settings, skip, state, stop",
		"  advnace 1s":                            "f.txt:8:3: no verb is called advnace: advance is near",
		"send StringValeu(value=x)":               "f.txt:8:6: no message is called StringValeu: StringValue is near",
		"  send  StringValue(valeu=x)":            "f.txt:8:21: no field of StringValue is called valeu: value is near",
		"send":                                    "f.txt:8:5: want MESSAGE(FIELD=VALUE ...)",
		"send from=Bbo StringValue(value=x)":      "f.txt:8:11: no peer is called Bbo: there are Bob",
		"send from=Bob StringValue(value=x) soon": `f.txt:8:35: " soon" behind the message`,
		"ask timeout=soon StringValue()":          "f.txt:8:5: timeout=soon: want a duration, such as 5s",
		"advance":                                 `f.txt:8:8: "": want a duration, such as 5s or 1m30s`,
		"advance -5s":                             `f.txt:8:9: "-5s": want a duration, such as 5s or 1m30s`,
		"advance 5s more":                         `f.txt:8:12: "more" is too much`,
		"on":                                      "f.txt:8:1: want: on [at=PEER] MESSAGE reply|fail|hold|send ...",
		"on StringValue":                          `f.txt:8:15: "": want reply MESSAGE(...), fail CODE TEXT, hold or send MESSAGE(...)`,
		"on at=Bob StringValue reply BoolValue(value=1)": "f.txt:8:45: value=1: want bool",
		"on StringValue fail code":                       "f.txt:8:21: want: fail CODE TEXT",
		"on NoMessageAtAll hold":                         "f.txt:8:4: no message is called NoMessageAtAll",
		"gaps StringValeu":                               "f.txt:8:6: no message is called StringValeu: StringValue is near",
		"off":                                            "f.txt:8:1: want: off [at=PEER] MESSAGE",
		"reply StringValue()":                            "f.txt:8:1: Bob keeps no ask: on MESSAGE hold makes it",
		"connect":                                        "f.txt:8:1: want: connect PEER",
		"disconnect Eve":                                 "f.txt:8:12: no peer is called Eve: there are Bob",
		"disconnect Bob now":                             `f.txt:8:16: "now" is too much`,
		"settings spark.rpc.askTimeout":                  `f.txt:8:10: "spark.rpc.askTimeout": want KEY=VALUE`,
		"settings spark.rpc.askTimeout=x":                `f.txt:8:1: spark.rpc.askTimeout = "x": not a whole number with a unit: want a time, a whole number with us, ms, s, m, h or d (without: s), of at least 1s, for example 30s`,
		"stop it":                                        `f.txt:8:6: "it" is too much`,
	} {
		r := newRunner(rpctest.New(t, 1), echoes)
		r.w.Probe("Bob")
		if _, err := r.block("f.txt", 7, []string{"# A comment, and an empty line.", line}); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", line, err, want)
		}
	}
}

// What cannot be done in the state of things is named as well.
func TestWhatCannotBeDone(t *testing.T) {
	for script, want := range map[string]string{
		"stop\nsettings a=b": "f.txt:2:1: settings come first: the endpoint has been made",
		"stop\nstop":         "f.txt:2:1: Echo is stopped already",
		"connect Bob\ndisconnect Bob\ndisconnect Bob":  "f.txt:3:12: Bob was disconnected: connect it first",
		"connect Bob\ndisconnect Bob\nsend Int32Value": "f.txt:3:1: Bob was disconnected: connect it first",
	} {
		r := newRunner(rpctest.New(t, 1), echoes)
		if _, err := r.block("f.txt", 1, strings.Split(script, "\n")); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", script, err, want)
		}
	}
	r := newRunner(rpctest.New(t, 1), func(*rpctest.World) Subject { return Subject{Ref: rpcenv.Ref{Name: "Nobody"}} })
	if _, err := r.block("f.txt", 1, []string{"stop"}); err == nil || !strings.Contains(err.Error(), "is of no Env of this World that listens") {
		t.Error(err)
	}
}

// failing is a test that fails on purpose.
type failing struct {
	testing.TB
	fatal string
}

func (f *failing) Helper()             {}
func (f *failing) Output() io.Writer   { return io.Discard }
func (f *failing) Logf(string, ...any) {}
func (f *failing) Cleanup(func())      {}
func (f *failing) Failed() bool        { return f.fatal != "" }
func (f *failing) FailNow()            { runtime.Goexit() }
func (f *failing) Fatal(args ...any)   { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *failing) Fatalf(format string, args ...any) {
	f.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// A script that differs fails its test, and so do one that is wrong and one without a block.
func TestAScriptFailsItsTest(t *testing.T) {
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		t.Skip("-rewrite: then nothing differs")
	}
	for _, tt := range []struct{ text, want string }{
		{"ask StringValue(value=a)\n----\nProbe => Server Echo StringValue(value=b)\n", "found:\n  Probe => Server Echo StringValue(value=a)"},
		{"# A comment.\n\nask StringValue(valeu=a)\n----\n", "f.txt:3:17: no field of StringValue is called valeu"},
		{"# No block.\n", "there is no block in it"},
	} {
		path := filepath.Join(t.TempDir(), "f.txt")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := &failing{}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			run(f, path, echoes)
		}()
		<-ended
		if !strings.Contains(f.fatal, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, f.fatal, tt.want)
		}
	}
}
