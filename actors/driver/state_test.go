package driver

import (
	"reflect"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// at is an executor of two cores at an address; of them free can be taken, if it has launched.
func at(id string, port int, free int) *executor {
	a := rpcenv.Address{Host: "h", Port: port}
	return &executor{id: id, host: "host" + id, ref: rpcenv.Ref{Address: a, Name: "Executor"}, totalCores: 2, launched: true, freeCores: free}
}

// What is offered and counted is of executors that have launched and are not about to go, in order of their numbers.
func TestWhichExecutorsMayTakeTasks(t *testing.T) {
	x := newExecutors()
	registered, lost, decommissioned, removing := at("1", 1, 2), at("2", 2, 2), at("3", 3, 2), at("4", 4, 2)
	registered.launched, registered.freeCores = false, 0
	lost.lossPending, decommissioned.decommissioned, removing.removing = true, true, true
	for _, e := range []*executor{at("10", 10, 1), removing, decommissioned, lost, registered, at("9", 9, 2), at("7", 7, 1), at("8", 8, 0)} {
		if !x.add(e) {
			t.Fatalf("executor %s is not taken", e.id)
		}
	}
	if x.add(at("9", 99, 1)) {
		t.Error("an id was taken twice")
	}
	if got, want := x.offers(), []tasks.Offer{{Executor: "7", Host: "host7", Cores: 1, Address: "h:7"}, {Executor: "9", Host: "host9", Cores: 2, Address: "h:9"}, {Executor: "10", Host: "host10", Cores: 1, Address: "h:10"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("offers %v, want %v", got, want)
	}
	if x.cores() != 8 || x.launched() != 4 {
		t.Errorf("%d cores of %d executors, want 8 of 4", x.cores(), x.launched())
	}
}

// An address belongs to the executor that registered from there last, also when the one before is removed.
func TestAnAddressIsThatOfTheLastExecutorThere(t *testing.T) {
	x := newExecutors()
	first, second, third := at("1", 1, 1), at("2", 1, 1), at("3", 1, 1)
	x.add(first)
	x.add(second)
	x.remove(first)
	x.remove(third) // which was never there
	if x.byAddress[first.ref.Address] != second || x.byID["1"] != nil || !slices.Equal(x.sorted, []*executor{second}) {
		t.Errorf("after the first: %+v", x)
	}
	x.remove(second)
	if len(x.byAddress) > 0 || len(x.byID) > 0 || len(x.sorted) > 0 {
		t.Errorf("after both: %+v", x)
	}
}

// Stop may be called twice: an endpoint that is gone has nothing to say.
func TestAnEndpointThatIsGoneIsNoFailureOfTheStop(t *testing.T) {
	for _, err := range []error{rpcenv.ErrRefusedNotFound, rpcenv.ErrRefusedStopped, nil} {
		if got := unlessGone(err); got != nil {
			t.Errorf("%v: %v", err, got)
		}
	}
	if unlessGone(rpcenv.ErrUnreachableTimeout) == nil {
		t.Error("a time-out is taken for an endpoint that is gone")
	}
}
