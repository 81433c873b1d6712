package master_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/trace"
)

// place is where Worker number n of a peer says that it listens.
func place(p *rpctest.Probe, n int) rpcenv.Address {
	return rpcenv.Address{Host: p.Ref.Address.Host, Port: 20000 + n}
}

// The 16th Worker of a peer is taken and the 17th is refused. The log has that once, and again when one has died and another is
// too many.
func TestTheSeventeenthWorkerOfAPeerIsRefused(t *testing.T) {
	k, said := logged(t)
	p := k.Probe("P")
	const why = " has registered 16 workers, which is all that one peer may: a worker registers itself"
	register := func(n int, refused bool, lines int) {
		t.Helper()
		at := place(p, n)
		p.Send(k.ref, &deploy.RegisterWorker{
			Id: fmt.Sprint("w", n), Host: at.Host, Port: int32(at.Port), Cores: 1, Memory: 1024, Worker: rpcenv.Ref{Address: at, Name: p.Ref.Name}.Proto(),
		})
		k.Settle()
		if refused {
			same(t, p, &deploy.RegisterWorkerFailed{Message: p.Ref.Address.String() + why})
		}
		if got := p.Waiting(); len(got) > 0 {
			t.Errorf("worker %d: %v", n, got)
		}
		logged := 0
		for _, e := range said.AllEntries() {
			if strings.HasSuffix(e.Message, why) {
				logged++
			}
		}
		if logged != lines {
			t.Errorf("worker %d: %d lines of the log, want %d", n, logged, lines)
		}
	}
	for n := range 16 {
		register(n, false, 0)
	}
	register(16, true, 1)
	register(17, true, 1)
	k.tool.Send(k.ref, connectionEvent{peer: place(p, 3)})
	register(18, false, 1)
	register(19, true, 2)
	register(20, true, 2)
}

// A process with a hundred Workers, each of which listens at its own port, is a hundred peers.
func TestManyWorkersOfOneProcessRegister(t *testing.T) {
	k := newKit(t)
	host := k.Host("P", "10.9.0.1")
	for n := range 100 {
		name := fmt.Sprint("W", n)
		env, err := rpcenv.New(host, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: "10.9.0.1", Port: 20000 + n}})
		if err != nil {
			t.Fatal(err)
		}
		p := k.ProbeIn(env, "Worker")
		p.Send(k.ref, &deploy.RegisterWorker{
			Id: name, Host: "10.9.0.1", Port: int32(20000 + n), Cores: 1, Memory: 1024, Worker: p.Ref.Proto(),
		})
		next[*deploy.RegisteredWorker](t, p)
	}
}

// A peer that gives no reference to itself hears nothing, and is nothing: not a Worker, not an application.
func TestWhoGivesNoReferenceHearsNothing(t *testing.T) {
	k := newKit(t)
	standby := k.Register(k.Env("M2", nil), master.Name, master.New(master.Config{Election: true}))
	p := k.Probe("P")
	for _, m := range []rpcenv.Message{
		&deploy.Heartbeat{WorkerId: "w"},
		&deploy.RegisterWorker{Id: "w", Host: "h", Cores: 1, Memory: 1},
		&deploy.WorkerDecommissioning{Id: "w"},
		&deploy.RegisterApplication{AppDescription: &deploy.ApplicationDescription{Name: "a", MemoryPerExecutorMb: 1}},
		&deploy.RegisterApplication{},
	} {
		p.Send(k.ref, m)
		p.Send(standby, m)
	}
	if s := k.state(); len(s.Workers)+len(s.ActiveApps) != 0 {
		t.Errorf("%v", s)
	}
	for _, e := range k.Trace().Entries {
		if e.K == trace.KindMsg && strings.HasSuffix(e.From, "/"+master.Name) && e.Form != "answer" {
			t.Errorf("the Master sends %s to %q: %+v", e.Type, e.To, e)
		}
	}
}

// The Master refuses a message that it does not understand.
func TestAMessageThatIsNoneOfTheMasters(t *testing.T) {
	k := newKit(t)
	if _, err := rpctest.Ask[*rpc.Bool](k.tool, k.ref, &rpc.CheckExistence{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Errorf("%v", err)
	}
}
