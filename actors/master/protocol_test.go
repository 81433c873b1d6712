package master_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The scripts are about a Master that keeps records. The Probes W1, W2 and W3 speak as Workers, D1, D2 and D3 as drivers.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		w.NoPanic()
		for _, name := range []string{"W1", "W2", "W3", "D1", "D2", "D3"} {
			w.Probe(name)
		}
		k := &kit{World: w, t: t}
		s := &shelf{records: map[string][]byte{}}
		cfg := master.Config{WebUIURL: "http://m:8080", Store: s}
		env := w.Env("M", nil)
		k.lead(env, cfg)
		processes := script.ProcessesOf(w, env)
		return script.Subject{
			Ref:   k.ref,
			State: func(what string) string { return script.Books(k.state(), what) },
			Verbs: map[string]func(string) (string, error){
				"worker":      k.speaksAs(workerOf),
				"application": k.speaksAs(applicationOf),
				"event":       k.connection,
				"orders":      k.order,
				"records": func(string) (string, error) {
					return cmp.Or(strings.Join(s.keys(), "\n"), "no records"), nil
				},
				"writes": func(how string) (string, error) {
					if d, err := time.ParseDuration(how); err == nil {
						s.latency = d
					} else {
						s.fail = failure(how)
					}
					return "", nil
				},
				"reads": func(how string) (string, error) {
					s.unread = failure(how)
					return "", nil
				},
				"resets": func(name string) (string, error) { return "", k.Reset(name, "M", 0) }, // their connection
				"restart": func(how string) (string, error) {
					cfg.Election = how == "election"
					k.restart(cfg)
					processes = script.ProcessesOf(w, env) // that of the new life
					return "", nil
				},
				"processes": func(string) (string, error) { return processes.Print("") },
			},
		}
	})
}

// failure is what writes and reads end with: revoked, or a text of the system's.
func failure(how string) error {
	if how == "revoked" {
		return records.ErrNotLeader
	}
	return errors.New(how)
}

// speaksAs is a verb: a Probe's name, and the fields of what it sends.
func (k *kit) speaksAs(what func(p *rpctest.Probe, args string) (proto.Message, error)) func(string) (string, error) {
	return func(args string) (string, error) {
		name, rest, _ := strings.Cut(args, " ")
		i := slices.IndexFunc(k.Probes(), func(p *rpctest.Probe) bool { return p.Ref.Name == name })
		if i < 0 {
			return "", fmt.Errorf("no probe is called %s", name)
		}
		m, err := what(k.Probes()[i], rest)
		if err == nil {
			k.Probes()[i].Send(k.ref, m)
		}
		return "", err
	}
}

// workerOf is the registration of a Worker at a Probe.
func workerOf(p *rpctest.Probe, fields string) (proto.Message, error) {
	return script.Fill(&deploy.RegisterWorker{
		Id: "worker-" + p.Ref.Name, Host: p.Ref.Address.Host, Port: int32(p.Ref.Address.Port), Worker: p.Ref.Proto(), Cores: 1, Memory: 1024,
		MasterAddress: &rpc.Address{Host: "m.example", Port: 7077},
	}, fields)
}

// applicationOf is the registration of an application whose driver is at a Probe: executors of 1 core and 512 MiB.
func applicationOf(p *rpctest.Probe, fields string) (proto.Message, error) {
	d, err := script.Fill(&deploy.ApplicationDescription{Name: p.Ref.Name, CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 512}, fields)
	return &deploy.RegisterApplication{AppDescription: d, Driver: p.Ref.Proto()}, err
}

// connection makes the Master hear that a connection came or went: up W1, down W1.
func (k *kit) connection(args string) (string, error) {
	how, name, _ := strings.Cut(args, " ")
	if k.Find(name) == nil {
		return "", fmt.Errorf("no process is called %s", name)
	}
	k.tool.Send(k.ref, connectionEvent{up: how == "up", peer: k.At(name)})
	return "", nil
}

// order sends the Master what its own process does: elected TERM, revoked, complete, decommission WORKER ...
func (k *kit) order(args string) (string, error) {
	words := strings.Fields(args)
	switch words[0] {
	case "elected":
		var term uint64
		_, err := fmt.Sscan(words[1], &term)
		k.tool.Send(k.ref, master.ElectedLeader{Term: term})
		return "", err
	case "revoked":
		k.tool.Send(k.ref, master.RevokedLeadership{})
	case "complete":
		k.tool.Send(k.ref, master.CompleteRecovery{})
	case "decommission":
		k.tool.Send(k.ref, master.DecommissionWorkers{IDs: words[1:]})
	default:
		return "", fmt.Errorf("%s: want elected, revoked, complete or decommission", args)
	}
	return "", nil
}
