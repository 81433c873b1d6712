package flows

import (
	"context"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// served is a role, and the drive of its peers before they are there, with a body that can ask the role.
func served(t *testing.T, spec measure.Spec) (d *drive, b *rpcenv.Blocking) {
	t.Helper()
	at, stop, err := Serve(&spec, &measure.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	ops, err := measure.NewOps(&spec)
	if err != nil {
		t.Fatal(err)
	}
	f := flows[spec.Case]
	if d, err = newDrive(&measure.Trial{Spec: &spec, Ops: ops, Address: at}, f.population(&spec)); err != nil {
		t.Fatal(err)
	}
	asker, err := d.stage.Env("Asker", rpcenv.Address{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b = asker.Blocking(context.Background())
	t.Cleanup(func() {
		b.Close()
		if err := d.stage.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, b
}

// The ResourceManager has as many nodes as there are pairs, and the application runs.
func TestTheResourceManagerHasAsManyNodesAsThereArePairs(t *testing.T) {
	d, b := served(t, short(measure.AllocateContainer, 20, 4))
	if err := runContainers(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	s, err := rpcenv.AskWait(b, rpcenv.Ref{Address: d.role, Name: ids.ClientRMService}, &yarn.RequestResourceManagerState{})
	if err != nil {
		t.Fatal(err)
	}
	// The containers that are not given back yet are those of the last round, one, and the ApplicationMaster's own.
	if n, used := s.GetNodesByState().GetNumActiveNms(), s.GetUse().GetContainersAllocated(); n != 20 || used != 2 {
		t.Errorf("%d nodes and %d containers, want 20 and 2", n, used)
	}
}

// The Master has as many executors as there are pairs, all of them RUNNING, on Workers that have room for as many again.
func TestTheMasterHasAsManyExecutorsAsThereArePairs(t *testing.T) {
	d, b := served(t, short(measure.LaunchExecutor, 20, 4))
	if err := runExecutors(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	s, err := rpcenv.AskWait(b, d.master(), &deploy.RequestMasterState{})
	if err != nil {
		t.Fatal(err)
	}
	cores, used := 0, 0
	for _, w := range s.GetWorkers() {
		cores, used = cores+int(w.GetCores()), used+int(w.GetCoresUsed())
	}
	if len(s.GetWorkers()) != 20 || cores != 40 || used != 20 {
		t.Errorf("%d Workers, %d of %d cores in use, want 20, 20 of 40", len(s.GetWorkers()), used, cores)
	}
}

// alive is how many Workers that are ALIVE the Master has.
func alive(t *testing.T, d *drive, b *rpcenv.Blocking) (n int) {
	t.Helper()
	s, err := rpcenv.AskWait(b, d.master(), &deploy.RequestMasterState{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range s.GetWorkers() {
		if w.GetState() == "ALIVE" {
			n++
		}
	}
	return n
}

// The Master has as many Workers as there are pairs, and each registers once.
func TestTheMasterHasAsManyWorkersAsThereArePairs(t *testing.T) {
	d, b := served(t, short(measure.Heartbeat, 50, 1))
	if _, err := d.hire(t.Context(), func(int, *hollow.Worker) {}); err != nil {
		t.Fatal(err)
	}
	if n := alive(t, d, b); n != 50 {
		t.Errorf("%d Workers, want 50", n)
	}
}

// Workers that come take the place of the oldest: at the end of a trial the Master has as many as there are pairs, and at most the
// spare ones more.
func TestWorkersThatComeTakeTheOldestOnesPlace(t *testing.T) {
	d, b := served(t, short(measure.RegisterWorker, 20, 4))
	r := newRegistrations(d)
	stop := r.start(t.Context())
	defer stop()
	if err := r.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := alive(t, d, b); n != 20 {
		t.Errorf("%d Workers before the trial, want 20", n)
	}
	if err := d.trial(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, most := alive(t, d, b), 20+spareWorkers*4; n < 20 || n > most {
		t.Errorf("%d Workers after the trial, want 20 to %d", n, most)
	}
}
