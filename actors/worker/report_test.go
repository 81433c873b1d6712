package worker

import (
	"errors"
	"slices"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// refusing makes the Master refuse all reports, and counts them.
func (k *kit) refusing() *int {
	n := new(int)
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.ExecutorStateChanged)
		if ok {
			*n++
			rpcenv.Fail(c, q, errors.New("not now"))
		}
		return ok
	})
	return n
}

func TestAShutdownWaitsForTheDrivers(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(false)
	var stubborn asked
	child := k.child()
	k.made.books.drivers[0].process = &stubborn
	answered := false
	k.shutdown(&answered)
	k.w.Settle()
	if answered || len(stubborn) != 1 {
		t.Errorf("answered %t while a driver lives that was asked to end %v", answered, stubborn)
	}
	child.Exit(0)
	k.w.Settle()
	if !answered {
		t.Error("not answered")
	}
}

// What ended while the Worker was away is reported before the list of what runs: an executor that the Master finds in neither
// is LOST to it, and an EXITED that comes later is of an executor that it has forgotten.
func TestEndsAreReportedBeforeTheListOfWhatRuns(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	k.refusing()
	k.master.Send(k.worker, k.launch(0))
	k.w.Settle()
	k.w.Find("M").Kill()
	k.w.Settle()
	k.children[0].Exit(3)
	k.restartMaster()
	var got []string
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *deploy.ExecutorStateChanged:
			got = append(got, m.GetState().String())
		case *deploy.WorkerLatestState:
			got = append(got, "latest state")
		}
		return k.playMaster(c, m)
	})
	k.accept(true)
	k.w.Settle()
	if want := []string{"EXITED", "latest state"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
