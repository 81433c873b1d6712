package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
	"github.com/coherer/coherer/rpcenv/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// porter keeps a list of visitors: it gets names, asks the Registry for unknown ones, and reports to the Chief.
type porter struct {
	registry, chief rpcenv.Ref
	in              []string
}

type closing struct{ rpcenv.Local }

var errAsleep = rpcenv.NewRefusal("porter.asleep", "the porter is asleep")

func (p *porter) OnStart(c *rpcenv.Context) {
	c.Send(p.chief, wrapperspb.String("opened"))
	c.State("door", "front", "", "OPEN", "")
}

func (p *porter) OnStop(c *rpcenv.Context) {
	c.Send(p.chief, wrapperspb.String("closed"))
	if slices.Contains(p.in, "panic") {
		panic("the house is on fire")
	}
}

func (p *porter) OnConnected(c *rpcenv.Context, peer rpcenv.Address) {
	c.Log().Info("connected ", peer)
}

func (p *porter) OnDisconnected(c *rpcenv.Context, _ rpcenv.Address) {
	c.Log().Warn("somebody left")
	c.Send(p.chief, wrapperspb.String("somebody left"))
}

func (p *porter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		p.in = append(p.in, m.GetValue())
		c.State("guest", m.GetValue(), "", "IN", "")
		c.Send(p.chief, wrapperspb.Int32(int32(len(p.in))))
	case *wrapperspb.BoolValue: // go home
		c.Every(time.Hour, time.Hour, closing{})
	case closing:
		c.State("door", "front", "OPEN", "CLOSED", "it is late")
		c.Send(p.chief, wrapperspb.String("closing"))
	case *rpc.CheckExistence:
		p.check(c, m)
	default:
		c.Unsupported(m)
	}
}

func (p *porter) check(c *rpcenv.Context, m *rpc.CheckExistence) {
	if m.GetName() == "" {
		rpcenv.Fail(c, m, errAsleep)
		return
	}
	call := rpcenv.Defer(c, m)
	rpcenv.Ask(c, p.registry, m, func(r *rpc.Bool, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		call.Reply(r)
	})
}

func newPorter(w *rpctest.World) (*porter, rpcenv.Ref) {
	p := &porter{chief: w.Probe("Chief").Ref, registry: w.Probe("Registry").Ref}
	return p, w.Register(w.Env("House", nil), "Porter", p)
}

func TestScripts(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		_, ref := newPorter(w)
		return script.Subject{Ref: ref}
	})
}

// A Subject has a state and verbs of its own.
func TestASubjectWithVerbs(t *testing.T) {
	script.Run(t, "testdata/alone/porter.txt", func(w *rpctest.World) script.Subject {
		p, ref := newPorter(w)
		return script.Subject{
			Ref:   ref,
			State: func(what string) string { return what + ": " + strings.Join(p.in, ", ") },
			Verbs: map[string]func(string) (string, error){"lose": func(name string) (string, error) {
				w.Find(name).Kill()
				return "lost " + name, nil
			}},
		}
	})
}

// A Subject leaves out what its scripts need not show, and has names for what is long.
func TestASubjectWithNames(t *testing.T) {
	script.Run(t, "testdata/alone/names.txt", func(w *rpctest.World) script.Subject {
		p, ref := newPorter(w)
		return script.Subject{
			Ref: ref, State: func(string) string { return fmt.Sprintf("%d letters", len(p.in[0])) },
			Omit:  func(e *trace.Entry) bool { return e.Type == "StringValue" },
			Short: strings.NewReplacer("Ada Lovelace", "ada").Replace, Long: strings.NewReplacer("ada", "Ada Lovelace").Replace,
		}
	})
}

// A script needs no peer: the first is made when it is wanted.
func TestAScriptWithoutPeers(t *testing.T) {
	script.Run(t, "testdata/alone/echo.txt", func(w *rpctest.World) script.Subject {
		return script.Subject{Ref: w.Register(w.Env("Server", nil), "Echo", echo{})}
	})
}

// A process may have further endpoints. Without Inner messages the forest has only what crosses its border.
func TestASubjectAmongOthers(t *testing.T) {
	script.Run(t, "testdata/alone/relay.txt", func(w *rpctest.World) script.Subject {
		env := w.Env("Server", nil)
		ref := w.Register(env, "Echo", echo{})
		w.Register(env, "Relay", relay{ref, w.Probe("Chief").Ref})
		return script.Subject{Ref: ref, Omit: script.Inner}
	})
}

// relay asks the Echo and sends its answer to the chief.
type relay struct{ echo, chief rpcenv.Ref }

func (r relay) Receive(c *rpcenv.Context, m rpcenv.Message) {
	rpcenv.AskAs(c, r.echo, m, func(answer rpcenv.Message, _ error) { c.Send(r.chief, answer) })
}

type echo struct{}

func (echo) Receive(c *rpcenv.Context, m rpcenv.Message) { rpcenv.ReplyAs(c, m, m) }

// The script of the documentation is one.
func TestTheScriptOfTheDocumentationPasses(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "//\n//\t# A greeting")
	text, _, ok := strings.Cut(text, "//\n// What followed")
	if !ok {
		t.Fatal("the script is gone")
	}
	path := filepath.Join(t.TempDir(), "greeter.txt")
	if err := os.WriteFile(path, []byte("# A greeting"+strings.ReplaceAll(text, "//\t", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	script.Run(t, path, func(w *rpctest.World) script.Subject {
		return script.Subject{Ref: w.Register(w.Env("Server", nil), "Greeter", greeter{})}
	})
}

// greeter is the endpoint of the documentation.
type greeter struct{}

var errNoName = rpcenv.NewRefusal("greeter.no-name", "a greeting needs a name")

func (greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		if m.GetValue() == "" {
			rpcenv.Fail(c, m, errNoName)
			return
		}
		rpcenv.ReplyAs(c, m, wrapperspb.String("Hello, "+m.GetValue()))
	default:
		c.Unsupported(m)
	}
}
