package membership_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// manager is an endpoint with Doubts.
type manager struct {
	doubts *membership.Doubts
	gaveUp []string
	lacks  bool // it is no node of the manager's
}

func (m *manager) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	switch msg := msg.(type) {
	case forget:
		m.doubts.Forget(msg.at)
	case *rpc.CheckExistence: // a node connects
		rpcenv.Reply(c, msg, &rpc.Bool{})
	default:
		m.doubts.News(c, msg)
	}
}

// connect makes the connection over which the manager asks a node.
func connect(t *testing.T, node *rpctest.Probe, to rpcenv.Ref) {
	t.Helper()
	if _, err := rpctest.Ask[*rpc.Bool](node, to, &rpc.CheckExistence{}); err != nil {
		t.Fatal(err)
	}
}

type forget struct {
	rpcenv.Local
	at rpcenv.Address
}

// A node is given up when it does not answer and the gossip has given it up too. Who answers stays, whatever is said of it.
func TestWhatASuspicionIsWorth(t *testing.T) {
	for _, is := range []struct {
		name  string
		says  string // what happens: a word each, in order; "1s" and the like let time pass
		asked int
		given string
	}{
		{"nothing is said", "freeze 10s", 0, ""},
		{"it is suspected, and answers", "by:A 3s", 1, ""},
		{"it is suspected, and does not answer", "freeze by:A by:B 10s", 2, ""},
		{"another suspects it when it has not answered", "freeze by:A 3s by:B 10s", 3, ""},
		{"it is given up, and does not answer", "freeze by:A failed 1999ms", 2, ""},
		{"it is given up, and has not answered in time", "freeze by:A failed 2s", 2, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
		{"two and more suspect it", "freeze by:A by:B by:B by:C failed 2s", 2, "Gave no answer, nor to A and B, and the gossip of the cluster has given it up"},
		{"it is given up when it has not answered", "freeze by:A 3s failed 0s", 2, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
		{"it is given up at once", "freeze failed 2s", 2, "Gave no answer, and the gossip of the cluster has given it up"},
		{"it is given up, and answers", "by:A by:B failed 10s", 3, ""},
		{"it thaws in time", "freeze by:A failed 1900ms thaw 10s", 2, ""},
		{"it refutes", "freeze by:A 3s refuted failed 500ms", 3, ""},
		{"it refutes while it is asked", "freeze by:A failed refuted 10s", 1, ""},
		{"it joins again", "freeze by:A failed joined 10s", 1, ""},
		{"it leaves", "freeze by:A failed left 10s", 1, ""},
		{"it registers", "freeze by:A failed forget 10s", 1, ""},
		{"it has ended, so that nobody can be asked", "kill by:A failed 1s", 0, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
		{"it answers while the manager stands still", "freeze by:A failed 900ms freezeM thaw 5s thawM 10s", 1, ""},
		{"nobody answered an earlier run's sign", "freeze old:A 3s failed 0s", 2, "Gave no answer, and the gossip of the cluster has given it up"},
		{"the end of an earlier run is not that of this one", "freeze by:A failed oldleft 2s", 2, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
		{"one with its address changes nothing", "freeze by:A failed old:B oldleft old:C 2s", 2, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
		{"it is no node", "lacks freeze by:A failed 10s", 0, ""},
		{"it is no node any more", "freeze by:A failed lacks 10s", 2, ""},
		{"it is given up once", "freeze by:A failed 2s failed 500ms refuted 10s", 3, "Gave no answer, nor to A, and the gossip of the cluster has given it up"},
	} {
		t.Run(is.name, func(t *testing.T) {
			w := rpctest.New(t, 1)
			w.NoPanic()
			m := &manager{}
			env := w.Env("M", nil)
			ref := w.Register(env, "Manager", m)
			node := w.ProbeIn(w.Env("W", nil), "Node")
			now := membership.Member{Name: "w/2", Role: "worker", RPC: node.Env.Address()}
			old := membership.Member{Name: "w/1", Role: "worker", RPC: node.Env.Address()}
			m.doubts = membership.NewDoubts(membership.Nodes{
				Endpoint: "Node", Has: func(rpcenv.Address) bool { return !m.lacks },
				GiveUp: func(_ *rpcenv.Context, of rpcenv.Address, why string) {
					if of != now.RPC {
						t.Errorf("%v is given up", of)
					}
					m.gaveUp = append(m.gaveUp, why)
				},
			})
			tool := w.ProbeIn(env, "Tool")
			connect(t, node, ref)
			for word := range strings.FieldsSeq(is.says) {
				verb, by, _ := strings.Cut(word, ":")
				switch verb {
				case "freeze":
					w.Find("W").Pause()
				case "freezeM":
					w.Find("M").Pause()
				case "thawM":
					w.Find("M").Resume()
				case "thaw":
					w.Find("W").Resume()
				case "kill":
					w.Find("W").Kill()
				case "by":
					tool.Send(ref, membership.MemberSuspected{Member: now, By: by + "/1"})
				case "old":
					tool.Send(ref, membership.MemberSuspected{Member: old, By: by})
				case "failed":
					tool.Send(ref, membership.MemberFailed{Member: now})
				case "refuted":
					tool.Send(ref, membership.MemberRefuted{Member: now})
				case "joined":
					tool.Send(ref, membership.MemberJoined{Member: now})
				case "left":
					tool.Send(ref, membership.MemberLeft{Member: now})
				case "oldleft":
					tool.Send(ref, membership.MemberLeft{Member: old})
				case "lacks":
					m.lacks = true
				case "forget":
					tool.Send(ref, forget{at: now.RPC})
				default:
					d, err := time.ParseDuration(word)
					if err != nil {
						t.Fatal(err)
					}
					w.Advance(d)
				}
				w.Settle()
			}
			asked := 0
			for _, e := range w.Trace().Entries {
				if e.Type == "CheckExistence" && e.K == trace.KindMsg && e.Form == "ask" && e.From == "M/Manager" {
					asked++
				}
			}
			if got := strings.Join(m.gaveUp, "; "); asked != is.asked || got != is.given {
				t.Errorf("asked %d times, given up: %q\nwant  %d times, %q", asked, got, is.asked, is.given)
			}
		})
	}
}

// coherer.gossip.askTimeout is how long a node may take.
func TestTheTimeToAnswerIsASetting(t *testing.T) {
	w := rpctest.New(t, 1)
	m := &manager{}
	env := w.Env("M", confOf(t, "coherer.gossip.askTimeout", "300ms"))
	ref := w.Register(env, "Manager", m)
	node := w.ProbeIn(w.Env("W", nil), "Node")
	of := membership.Member{Name: "w/1", Role: "worker", RPC: node.Env.Address()}
	m.doubts = membership.NewDoubts(membership.Nodes{
		Endpoint: "Node", Has: func(rpcenv.Address) bool { return true },
		GiveUp: func(_ *rpcenv.Context, _ rpcenv.Address, why string) { m.gaveUp = append(m.gaveUp, why) },
	})
	connect(t, node, ref)
	w.Find("W").Pause()
	tool := w.ProbeIn(env, "Tool")
	tool.Send(ref, membership.MemberFailed{Member: of})
	w.Advance(599 * time.Millisecond)
	if len(m.gaveUp) > 0 {
		t.Errorf("given up too soon: %q", m.gaveUp)
	}
	w.Advance(time.Millisecond)
	want := "[Gave no answer, and the gossip of the cluster has given it up]"
	if got := fmt.Sprint(m.gaveUp); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
