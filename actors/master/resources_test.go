package master

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/deploy"
)

// gpus are the resources of a Worker with n of them.
func gpus(n int) resources {
	if n == 0 {
		return nil
	}
	info := &deploy.ResourceInformation{Name: "gpu"}
	for i := range n {
		info.Addresses = append(info.Addresses, fmt.Sprint(i))
	}
	return newResources([]*deploy.ResourceInformation{info})
}

// ledger fails unless what Workers count as used is what their executors have.
func ledger(t interface{ Fatalf(string, ...any) }, ws []*workerInfo) {
	for _, w := range ws {
		cores, memory := 0, 0
		taken := map[string]bool{}
		for _, e := range w.executors {
			cores += e.Cores
			memory += e.Memory
			for _, r := range e.Resources {
				for _, a := range r.GetAddresses() {
					if taken[r.GetName()+a] {
						t.Fatalf("%s: two executors have %s %s", w.ID, r.GetName(), a)
					}
					taken[r.GetName()+a] = true
				}
			}
		}
		free := 0
		for _, r := range w.resources {
			free += r.free
			for i, is := range r.taken {
				if is != taken[r.name+r.addresses[i]] {
					t.Fatalf("%s: %s %s is taken: %v, an executor has it: %v", w.ID, r.name, r.addresses[i], is, !is)
				}
			}
		}
		all := 0
		for _, r := range w.resources {
			all += len(r.addresses)
		}
		if w.CoresUsed != cores || w.MemoryUsed != memory || free != all-len(taken) || w.CoresFree() < 0 || w.MemoryFree() < 0 {
			t.Fatalf("%s: %d cores, %d MiB used, %d addresses free; its executors have %d, %d, %d of %d",
				w.ID, w.CoresUsed, w.MemoryUsed, free, cores, memory, len(taken), all)
		}
	}
}

func TestAddressesAreAcquiredInOrderAndGivenBack(t *testing.T) {
	rs := gpus(4)
	a := rs.acquire([]requirement{{"gpu", 2}})
	b := rs.acquire([]requirement{{"gpu", 1}})
	if got := fmt.Sprint(a[0].GetAddresses(), b[0].GetAddresses()); got != "[0 1] [2]" {
		t.Error(got)
	}
	rs.release(a)
	rs.release(a) // a second time it does nothing
	if free := rs.of("gpu").free; free != 3 {
		t.Errorf("%d are free", free)
	}
	if c := rs.acquire([]requirement{{"gpu", 3}}); !slices.Equal(c[0].GetAddresses(), []string{"0", "1", "3"}) {
		t.Errorf("%v", c)
	}
	if rs.room([]requirement{{"gpu", 1}}, 9) != 0 || rs.room([]requirement{{"fpga", 1}}, 9) != 0 || rs.room(nil, 9) != 9 {
		t.Error("room for an unknown resource, or no room for an executor that wants no resource")
	}
}

func TestWhatIsTakenByNameIsTakenWhole(t *testing.T) {
	rs := gpus(3)
	have := func(addresses ...string) []*deploy.ResourceInformation {
		return []*deploy.ResourceInformation{{Name: "gpu", Addresses: addresses}}
	}
	if err := rs.take(have("2")); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]*deploy.ResourceInformation{have("1", "2"), have("7"), have("1", "1"), {{Name: "fpga", Addresses: []string{"0"}}}} {
		if rs.take(bad) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if free := rs.of("gpu").free; free != 2 {
		t.Errorf("%d are free", free)
	}
	rs.release(have("2", "9"))
	if free := rs.of("gpu").free; free != 3 {
		t.Errorf("%d are free", free)
	}
}

func TestAddressesHaveOneOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &workerInfo{ID: "w", resources: gpus(6)}
		app := &applicationInfo{ID: "app"}
		t.Repeat(map[string]func(*rapid.T){
			"acquire": func(t *rapid.T) {
				p := resourceProfile{Resources: []requirement{{"gpu", rapid.IntRange(1, 3).Draw(t, "amount")}}}
				if w.resources.room(p.Resources, 1) > 0 {
					w.addExecutor(app.addExecutor(w, 0, p))
				}
			},
			"release": func(t *rapid.T) {
				if len(w.executors) > 0 {
					e := rapid.SampledFrom(w.executors).Draw(t, "executor")
					w.removeExecutor(e)
					w.removeExecutor(e)
				}
			},
			"": func(t *rapid.T) { ledger(t, []*workerInfo{w}) },
		})
	})
}

// A state names a Worker's resources in the order of their names, all addresses and those that are taken.
func TestTheStateOfResources(t *testing.T) {
	rs := newResources([]*deploy.ResourceInformation{{Name: "npu", Addresses: []string{"x"}}, {Name: "gpu", Addresses: []string{"0", "1"}}})
	rs.acquire([]requirement{{"gpu", 1}})
	text := func(taken bool) (out []string) {
		for _, i := range rs.infos(taken) {
			out = append(out, fmt.Sprint(i.GetName(), i.GetAddresses()))
		}
		return out
	}
	if got, want := text(false), []string{"gpu[0 1]", "npu[x]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := text(true), []string{"gpu[0]", "npu[]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
