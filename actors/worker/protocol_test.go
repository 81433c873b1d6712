package worker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
	"github.com/coherer/coherer/rpcenv/sim"
)

// The scripts are about a Worker of 2 cores and 2 GiB. The processes M, M2 and M3 speak as Masters; Tool speaks in the Worker's
// own process.
func TestProtocol(t *testing.T) { script.RunAll(t, newTalk) }

// talk is a World with a Worker that a script starts.
type talk struct {
	*rpctest.World
	env  *rpcenv.Env // the Worker's
	ref  rpcenv.Ref
	tool *rpctest.Probe
	// removed directories of applications.
	removed []string
}

func newTalk(w *rpctest.World) script.Subject {
	w.NoPanic()
	for _, name := range []string{"M", "M2", "M3"} {
		w.ProbeIn(w.Env(name, nil), "Master")
	}
	k := &talk{World: w, env: w.Env("W1", nil)}
	k.tool = w.ProbeIn(k.env, "Tool")
	k.ref = k.env.Ref(k.env.Address(), Name)
	processes := script.ProcessesOf(w, k.env, "Exec", DriverClass)
	return script.Subject{Ref: k.ref, State: k.state, Verbs: map[string]func(string) (string, error){
		"start": k.start, "launch": k.launch, "driver": k.driver, "exits": processes.Exit, "processes": processes.Print,
		"signal":   k.local(WorkerDecommissionSigReceived{}),
		"shutdown": k.shutdown,
		"member":   k.member,
		"removed":  k.gone,
	}}
}

// start makes the Worker: masters=M,M2 membership id=ID programs=1m|ERROR shuffle.
func (k *talk) start(args string) (string, error) {
	cfg := Config{ID: "worker-1", Cores: 2, MemoryMB: 2048, WorkDir: "/work"}
	for word := range strings.FieldsSeq(args) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "masters":
			for name := range strings.SplitSeq(value, ",") {
				cfg.Masters = append(cfg.Masters, k.At(name))
			}
		case "id":
			cfg.ID = value
		case "shuffle":
			cfg.ShuffleOutputs, cfg.Directories = unusedOutputs{}, disk{k}
			k.service()
		case "membership":
			cfg.Membership = true
		case "programs":
			if d, err := time.ParseDuration(value); err == nil {
				cfg.Programs = slowPrograms{takes: d}
			} else {
				cfg.Programs = slowPrograms{err: errors.New(value)}
			}
		default:
			return "", fmt.Errorf("start %s: want masters=, membership, id= or programs=", args)
		}
	}
	_, err := k.env.Register(Name, New(cfg))
	return "", err
}

// unusedOutputs says that there is a shuffle service; the script plays it.
type unusedOutputs struct{ shuffleservice.Outputs }

// service is a shuffle service that answers StopApplication a second later.
func (k *talk) service() {
	k.ProbeIn(k.env, shuffleservice.Name).On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(shuffleservice.StopApplication); ok {
			answer := rpcenv.Defer(c, q)
			rpcenv.Run(c, "", func(b *rpcenv.Blocking) (struct{}, error) { return struct{}{}, b.Sleep(time.Second) }, func(struct{}, error) {
				answer.Reply(&rpc.Bool{Value: true})
			})
		}
		return false
	})
}

// disk notes what is removed.
type disk struct{ talk *talk }

func (disk) Prepare(*rpcenv.Blocking, Preparation) (Prepared, error) { return Prepared{}, nil }

func (d disk) Remove(b *rpcenv.Blocking, app string) error {
	d.talk.removed = append(d.talk.removed, fmt.Sprintf("%s at %s", app, b.Now().Sub(sim.Start).Truncate(time.Second)))
	return nil
}

func (disk) CleanUp(*rpcenv.Blocking, []string, time.Time) ([]string, error) { return nil, nil }

// gone prints the directories of applications that were removed since it was printed.
func (k *talk) gone(string) (string, error) {
	k.Settle()
	text := "removed " + strings.Join(k.removed, ", ") + "\n"
	k.removed = nil
	return text, nil
}

func (k *talk) state(what string) string {
	k.Settle()
	s, err := rpctest.Ask[*deploy.WorkerStateResponse](k.tool, k.ref, &deploy.RequestWorkerState{})
	if err != nil {
		return err.Error()
	}
	return script.Books(s, what)
}

// master is the Master that launches.
func (k *talk) master() *rpctest.Probe { return k.Probes()[0] }

// launch sends a LaunchExecutor of 1 core and 512 MiB.
func (k *talk) launch(fields string) (string, error) {
	m, err := script.Fill(&deploy.LaunchExecutor{
		MasterUrl: k.master().Ref.Address.SparkURL(), AppId: "app-1", Cores: 1, Memory: 512,
		AppDesc: &deploy.ApplicationDescription{Name: "counts", Command: &deploy.Command{MainClass: "Exec"}},
	}, fields)
	k.master().Send(k.ref, m)
	return "", err
}

// driver sends a LaunchDriver of 1 core and 512 MiB.
func (k *talk) driver(fields string) (string, error) {
	m, err := script.Fill(&deploy.LaunchDriver{DriverId: "driver-1", DriverDesc: &deploy.DriverDescription{
		JarUrl: "/app", Cores: 1, Mem: 512, Command: &deploy.Command{MainClass: DriverClass, Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi"}},
	}}, fields)
	k.master().Send(k.ref, m)
	return "", err
}

// local is a verb that sends what the Worker's own process sends.
func (k *talk) local(m rpcenv.Message) func(string) (string, error) {
	return func(string) (string, error) {
		k.tool.Send(k.ref, m)
		return "", nil
	}
}

// shutdown asks the Worker to shut down; its answer is in the forest.
func (k *talk) shutdown(string) (string, error) {
	k.tool.Ask(k.ref, Shutdown{})
	return "", nil
}

// member says that a process is there, or not: joined|left|suspected|failed NAME [ROLE].
func (k *talk) member(args string) (string, error) {
	words := append(strings.Fields(args), membership.RoleMaster)
	if len(words) < 3 || k.Find(words[1]) == nil {
		return "", fmt.Errorf("member %s: want joined, left, suspected or failed, and a process", args)
	}
	m := membership.Member{Name: words[1], Role: words[2], RPC: k.At(words[1])}
	return k.local(map[string]rpcenv.Message{
		"joined": membership.MemberJoined{Member: m}, "left": membership.MemberLeft{Member: m}, "suspected": membership.MemberSuspected{Member: m},
		"failed": membership.MemberFailed{Member: m},
	}[words[0]])("")
}
