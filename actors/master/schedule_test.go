package master_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// What a lost Worker had is replaced at once if another has room: an executor, a driver, and one of each.
func TestWhatALostWorkerHadIsReplacedAtOnce(t *testing.T) {
	for _, what := range []string{"executor", "driver", "executor driver"} {
		k := newKit(t)
		w1 := k.worker("W1", 2, 2048)
		want := 0
		if strings.Contains(what, "executor") {
			k.driver("D", 1)
			want++
		}
		if strings.Contains(what, "driver") {
			k.submit(wanted(true))
			want++
		}
		k.Settle()
		if got := len(w1.Waiting()); got != want {
			t.Fatalf("%s: %d orders, want %d", what, got, want)
		}
		w2 := k.worker("W2", 2, 2048)
		k.Find("W1").Kill()
		k.Settle()
		if got := len(w2.Waiting()); got != want {
			t.Errorf("%s: %d orders, want %d: %v", what, got, want, w2.Waiting())
		}
	}
}

// Two applications that are served in one decision: the second one sees what the first one took.
func TestADecisionSeesWhatTheOneBeforeTook(t *testing.T) {
	k := newKit(t)
	k.worker("A", 4, 8192)
	k.worker("B", 4, 8192)
	all := k.newDriver("all")
	all.desc.CoresPerExecutor = nil
	all.register()
	first, second := k.driver("first", 1), k.driver("second", 1)
	k.Settle()
	all.Send(k.ref, &deploy.UnregisterApplication{AppId: all.id})
	if a, b := first.added(), second.added(); a.GetWorkerId() != "worker-B" || b.GetWorkerId() != "worker-A" {
		t.Errorf("on %s and %s", a.GetWorkerId(), b.GetWorkerId())
	}
}

// Of many launches in one decision ten have a line of the log each, and one line counts the others.
func TestTheLogOfManyLaunches(t *testing.T) {
	for cores, more := range map[int32]string{10: "", 13: "Launching 3 more executors of %s on 2 workers in all"} {
		k, said := loggedWith(t, master.Config{Placement: greedy{[]int{8, 0, int(cores) - 8}}})
		for _, name := range []string{"A", "B", "C"} {
			k.worker(name, 8, 16384)
		}
		d := k.driver("D", cores)
		k.Settle()
		var each, rest []string
		for _, e := range said.AllEntries() {
			switch {
			case strings.HasPrefix(e.Message, "Launching executor "):
				each = append(each, e.Message)
			case strings.HasPrefix(e.Message, "Launching "+fmt.Sprint(cores-10)+" more"):
				rest = append(rest, e.Message)
			}
		}
		var want []string
		if more != "" {
			want = []string{fmt.Sprintf(more, d.id)}
		}
		if len(each) != 10 || !slices.Equal(rest, want) {
			t.Errorf("%d cores: %q and %q, want ten and %q", cores, each, rest, want)
		}
	}
}

// ill makes n executors of an application end at once, with exit code 0.
func (d *driver) ill(w *worker, n int) {
	d.k.t.Helper()
	for range n {
		l := w.launched()
		w.report(d.id, l.GetExecId(), deploy.ExecutorState_EXITED, 0)
	}
}

// Of two applications that pause each goes on at its own time, whichever registered first.
func TestEachPauseEndsAtItsTime(t *testing.T) {
	for _, firstIsLong := range []bool{true, false} {
		k := newKit(t)
		w := k.worker("W1", 2, 2048)
		first, second := k.driver("A", 1), k.driver("B", 1)
		short, long := second, first
		if !firstIsLong {
			short, long = first, second
		}
		next := map[string]int32{}
		end := func(d *driver, n int) { // n of its executors, each as soon as it is there
			t.Helper()
			for range n {
				for {
					if a, ok := d.Next().(*deploy.ExecutorAdded); ok && a.GetId() == next[d.id] {
						break
					}
				}
				w.report(d.id, next[d.id], deploy.ExecutorState_EXITED, 0)
				next[d.id]++
			}
		}
		end(long, 5)
		end(short, 3)
		end(long, 1)
		end(short, 1)
		began := k.Now() // the fourth end is followed by 100 ms, the sixth by 400 ms
		for d, want := range map[*driver]time.Duration{short: 100 * time.Millisecond, long: 400 * time.Millisecond} {
			d.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
				if _, ok := m.(*deploy.ExecutorAdded); ok {
					if took := c.Now().Sub(began); took < want-20*time.Millisecond || took > want+20*time.Millisecond {
						t.Errorf("the first is long: %v; a pause of %s took %s", firstIsLong, want, took)
					}
					want = 0
				}
				return true
			})
			defer func() {
				if want != 0 {
					t.Errorf("nothing was launched after %s", want)
				}
			}()
		}
		k.Advance(time.Second)
	}
}

// wakes are how often the Master's pause timer fired.
func (k *kit) wakes() (n int) {
	for _, e := range k.Trace().Entries {
		if strings.HasSuffix(e.Name, "RelaunchExecutors") {
			n++
		}
	}
	return n
}

// A pause sets one timer; it is given up with the application, or its wish.
func TestAPauseHasOneTimer(t *testing.T) {
	for name, test := range map[string]struct {
		then func(k *kit, d *driver)
		want int
	}{
		"it ends": {func(*kit, *driver) {}, 1},
		"others come and go meanwhile": {func(k *kit, _ *driver) {
			e := k.driver("E", 1)
			e.Send(k.ref, &deploy.UnregisterApplication{AppId: e.id})
			k.Settle()
		}, 1},
		"the application ends":      {func(k *kit, d *driver) { d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id}); k.Settle() }, 0},
		"it wants nothing any more": {func(_ *kit, d *driver) { d.request(d.id, total(standard, 0)) }, 0},
	} {
		k := newKit(t)
		w, d := k.worker("W1", 1, 1024), k.driver("D", 1)
		d.ill(w, 4)
		test.then(k, d)
		k.Advance(10 * time.Second)
		if got := k.wakes(); got != test.want {
			t.Errorf("%s: the timer fired %d times, want %d", name, got, test.want)
		}
	}
}

// That no Worker could serve an application is said of one that is alone and has no executor; as in Spark.
func TestWhenTheLogSaysThatNoWorkerCouldServeAnApplication(t *testing.T) {
	k, said := logged(t)
	k.worker("W1", 1, 1024)
	first := k.driver("D", 2)                   // it has one of its two
	first.request(first.id, total(standard, 2)) // and finds no Worker for the second
	if got := warned(said); len(got) != 0 {
		t.Errorf("%q", got)
	}
	first.Send(k.ref, &deploy.UnregisterApplication{AppId: first.id})
	k.Settle()
	big := k.newDriver("big")
	big.desc.MemoryPerExecutorMb, big.desc.MaxCores = 4096, proto.Int32(1)
	big.register()
	k.Settle()
	if got, want := warned(said), []string{"App " + big.id + " requires more resource than any of Workers could have."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
