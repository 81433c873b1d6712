package raftlog

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// writer stands for a Master: each time that it leads it writes a few records.
type writer struct {
	leads  *string // the name of the one that led last, when it has written
	name   string
	writes int
}

func (w *writer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	lead, ok := m.(master.ElectedLeader)
	if !ok {
		return
	}
	rpcenv.Run(c, "writer", func(b *rpcenv.Blocking) (struct{}, error) {
		store := &election.Store{Election: rpcenv.Ref{Address: c.Self().Address, Name: election.Name}}
		_, _, err := store.Load(b)
		for i := range w.writes {
			change := []records.Change{{Key: fmt.Sprintf("%d-%d", lead.Term, i), Value: []byte("x")}}
			err = errors.Join(err, store.Write(b, change))
		}
		return struct{}{}, err
	}, func(_ struct{}, err error) {
		if err == nil {
			*w.leads = w.name
		}
	})
}

// A Master starts with an old copy of its file: it names the file, gets the others' log, and with it another Master may end.
func TestAnOldCopyOfAFileIsNamedAndCaughtUp(t *testing.T) {
	w := sim.New(1, 0)
	defer w.Close()
	var text strings.Builder
	log := logrus.New()
	log.SetOutput(&text)
	dir, files, leads := t.TempDir(), map[string]*File{}, ""
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	var peers []rpcenv.Address
	for i := range 3 {
		peers = append(peers, rpcenv.Address{Host: fmt.Sprintf("10.0.0.%d", i+1), Port: 7077})
	}
	path := func(i int) string { return Path(dir, peers[i]) }
	name := func(i int) string { return fmt.Sprintf("M%d", i+1) }
	run := func(h *sim.Host, i int) error {
		f, err := Open(path(i))
		if err != nil {
			return err
		}
		files[name(i)] = f
		env, err := rpcenv.New(h, rpcenv.Config{Name: name(i), Listen: peers[i], Log: logrus.NewEntry(log)})
		if err != nil {
			return err
		}
		_, err = env.Register("Master", &writer{leads: &leads, name: name(i), writes: 20})
		if err == nil {
			_, err = env.Register(election.Name, election.New(election.Config{Self: peers[i], Peers: peers, Log: f}))
		}
		return err
	}
	kill := func(i int) { // and its file is free, as that of a process that ended
		w.Find(name(i)).Kill()
		if err := files[name(i)].Close(); err != nil {
			t.Fatal(err)
		}
		delete(files, name(i))
	}
	start := func(i int) {
		t.Helper()
		if _, err := w.Boot(name(i), peers[i].Host, func(h *sim.Host) error { return run(h, i) }); err != nil {
			t.Fatal(err)
		}
	}
	await := func(what string, cond func() bool) {
		t.Helper()
		if err := w.Run(cond, 30*time.Second); err != nil {
			t.Fatalf("%s: %v\n%s", what, err, text.String())
		}
	}
	for i := range peers {
		start(i)
	}
	await("a leader", func() bool { return leads != "" })
	w.Advance(time.Second)
	victim := 0
	for name(victim) == leads {
		victim++
	}
	kill(victim)
	old, err := os.ReadFile(path(victim))
	if err != nil {
		t.Fatal(err)
	}
	start(victim)
	w.Advance(time.Second)
	leader := 3 - victim - 1
	for name(leader) != leads {
		leader = (leader + 1) % 3
	}
	third := 3 - victim - leader
	leads = ""
	kill(leader) // so that another leads and writes
	await("another leader", func() bool { return leads != "" })
	start(leader)
	w.Advance(2 * time.Second)
	kill(victim)
	if err := os.WriteFile(path(victim), old, 0o600); err != nil {
		t.Fatal(err)
	}
	start(victim)
	await("word of the old copy", func() bool {
		return strings.Contains(text.String(), path(victim)+" is an old copy") && strings.Contains(text.String(), "it votes again")
	})
	leads = ""
	kill(third)
	kill(leader)
	start(leader)
	await("a leader without the third", func() bool { return leads != "" })
	w.Advance(time.Second)
	var states []string
	for _, i := range []int{victim, leader} {
		s, err := files[name(i)].Load(nil)
		if err != nil || len(s.Entries) == 0 {
			t.Fatal(err)
		}
		states = append(states, fmt.Sprint(s.Entries))
	}
	if states[0] != states[1] {
		t.Errorf("the logs differ:\n%s\n%s", states[0], states[1])
	}
}
