package master

import (
	"testing"

	"github.com/coherer/coherer/messages/deploy"
)

// The holders with the most cores are named, up to five; those with equally many in the order of the Workers.
func TestWhichHoldersAreNamed(t *testing.T) {
	hs := []holder{{"a", 1, 512}, {"b", 3, 1}, {"c", 1, 256}, {"d", 2, 9}, {"e", 1, 8}}
	const five = "b has 3 cores and 1 MiB of memory, d has 2 cores and 9 MiB of memory, a has 1 core and 512 MiB of memory, " +
		"c has 1 core and 256 MiB of memory, e has 1 core and 8 MiB of memory"
	if got := names(hs); got != five {
		t.Errorf("%q, want %q", got, five)
	}
	if got := names(append(hs, holder{"f", 1, 1}, holder{"g", 0, 1})); got != five+", 2 more" {
		t.Errorf("%q, want %q", got, five+", 2 more")
	}
}

// holders are two Workers of 4 cores and 1000 MiB, and three applications; hold and launch give them cores and memory of the Workers.
type holders struct {
	m    *Master
	ws   []*workerInfo
	apps map[string]*applicationInfo
}

func newHolders() *holders {
	h := &holders{New(Config{}), []*workerInfo{{ID: "w0", Cores: 4, Memory: 1000}, {ID: "w1", Cores: 4, Memory: 1000}}, map[string]*applicationInfo{}}
	for _, id := range []string{"own", "one", "two"} {
		h.apps[id] = &applicationInfo{ID: id}
		h.m.apps = append(h.m.apps, h.apps[id])
	}
	return h
}

// hold gives an executor of an application to a Worker.
func (h *holders) hold(app string, worker, cores, memory int) *holders {
	h.ws[worker].addExecutor(h.apps[app].addExecutor(h.ws[worker], cores, resourceProfile{Memory: memory}))
	return h
}

// launch gives a driver to a Worker.
func (h *holders) launch(id string, worker int, cores, memory int32) *holders {
	d := &driverInfo{ID: id, Desc: &deploy.DriverDescription{Cores: cores, Mem: memory}}
	h.m.drivers.recover(d)
	h.m.drivers.place(d, h.ws[worker])
	return h
}

// What each holder has of what is missing is added up over the Workers that could take an executor; the application itself is
// named when it is the only holder.
func TestWhoHoldsWhatIsMissing(t *testing.T) {
	const room = "an executor wants 1 core and 100 MiB of memory; on the 2 workers that could take it, which have 8 cores and 2000 MiB of memory,"
	const byOthers = "5 applications: " + room + " other applications came first: "
	const wait = " / wait until one ends, give it a spark.cores.max, kill it, or start more workers"
	const kill = " / kill a driver (coherer submit --kill ID), start more workers, or set coherer.master.maxDriverShare below 1"
	for name, test := range map[string]struct {
		h    *holders
		want []string
	}{
		"nobody": {newHolders(), nil},
		"the application itself": {
			newHolders().hold("own", 0, 4, 200).hold("own", 1, 3, 300),
			[]string{"5 workers: " + room + " the application itself has 7 cores and 500 MiB of memory already / nothing, or start more workers"},
		},
		"one of each": {
			newHolders().launch("d0", 0, 1, 500).hold("one", 1, 4, 1).hold("own", 0, 1, 1),
			[]string{
				"5 drivers: " + room + " drivers are: d0 has 1 core and 500 MiB of memory / wait until one ends, kill one, or start more workers",
				byOthers + "one has 4 cores and 1 MiB of memory" + wait,
			},
		},
		"others": {
			newHolders().hold("one", 0, 1, 100).hold("two", 0, 3, 10).hold("own", 0, 1, 1).hold("one", 1, 1, 200),
			[]string{byOthers + "two has 3 cores and 10 MiB of memory, one has 2 cores and 300 MiB of memory" + wait},
		},
		"drivers and others": {
			newHolders().launch("d0", 0, 1, 500).hold("one", 1, 4, 1).launch("d1", 1, 2, 600).hold("own", 0, 1, 1),
			[]string{
				"5 drivers: " + room + " drivers are: d1 has 2 cores and 600 MiB of memory, d0 has 1 core and 500 MiB of memory" +
					" / wait until one ends, kill one, or start more workers",
				byOthers + "one has 4 cores and 1 MiB of memory" + wait,
			},
		},
		"drivers and the application itself": {
			newHolders().launch("d0", 0, 1, 500).hold("own", 1, 4, 1),
			[]string{"5 drivers: " + room + " drivers are: d0 has 1 core and 500 MiB of memory / wait until one ends, kill one, or start more workers"},
		},
		"drivers alone": {
			newHolders().launch("d0", 0, 1, 500),
			[]string{"5 drivers: " + room + " drivers are: d0 has 1 core and 500 MiB of memory: a dead-lock, since none of 3 applications has an executor " +
				"and each driver waits for its own" + kill},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s said
			test.h.m.sayHolders(test.h.apps["own"], resourceProfile{ID: 5, Memory: 100}, test.h.ws, s.say)
			s.is(t, test.want...)
		})
	}
}
