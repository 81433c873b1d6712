package driverclient

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// submission is a driver to submit.
func submission() Config {
	return Config{Launch: Driver{Program: "/bin/app", MainClass: "app", Cores: 1, MemoryMB: 512}.Describe()}
}

// The scripts are about a client in the process Client. M and M2 speak as Masters.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		w.NoPanic()
		for _, name := range []string{"M", "M2"} {
			w.ProbeIn(w.Env(name, nil), "Master")
		}
		w.Probe("Other")
		w.Env("Empty", nil)
		env := w.Env("Client", nil)
		processes := script.ProcessesOf(w, env)
		return script.Subject{Ref: env.Ref(env.Address(), Name), Verbs: map[string]func(string) (string, error){
			"processes": processes.Print,
			// start makes the client: submit, kill=ID, status=ID or nothing, and the processes at which it seeks Masters.
			"start": func(args string) (string, error) {
				words := strings.Fields(args)
				what, id, _ := strings.Cut(words[0], "=")
				cfg, known := map[string]Config{"submit": submission(), "kill": {Kill: id}, "status": {Status: id}, "nothing": {}}[what]
				if !known {
					return "", fmt.Errorf("start %s: want submit, kill=ID, status=ID or nothing", args)
				}
				for _, name := range words[1:] {
					cfg.Masters = append(cfg.Masters, w.At(name))
				}
				_, err := env.Register(Name, New(cfg))
				return "", err
			},
		}}
	})
}

// A submission has the whole description, of which scripts show only that it is there.
func TestADescriptionIsSubmittedWhole(t *testing.T) {
	w := rpctest.New(t, 1)
	master := w.ProbeIn(w.Env("M", nil), "Master")
	cfg := submission()
	cfg.Masters = []rpcenv.Address{master.Env.Address()}
	w.Register(w.Env("Client", nil), Name, New(cfg))
	if q, ok := master.Next().(*deploy.RequestSubmitDriver); !ok || !proto.Equal(q.GetDriverDescription(), cfg.Launch) {
		t.Errorf("submitted %v", q)
	}
}
