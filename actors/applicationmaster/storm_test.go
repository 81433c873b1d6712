package applicationmaster_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// TestStorms: executors, one ApplicationMaster and a node are killed at random under a driver in client mode; nodes and the
// ApplicationMaster are cut off from the ResourceManager for a while, and that begins again. The program ends well, nobody outlives it, and
// the books are in balance.
func TestStorms(t *testing.T) {
	executors, masters, nodes := 0, 0, 0
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			e, m, n := storm(t, seed)
			executors, masters, nodes = executors+e, masters+m, nodes+n
		})
	}
	if executors < 30 || masters < 10 || nodes < 10 {
		t.Errorf("that was no storm: %d executors, %d ApplicationMasters and %d nodes were killed", executors, masters, nodes)
	}
}

func storm(t *testing.T, seed uint64) (executors, masters, nodes int) {
	y := newSeededYard(t, seed, 5, map[string]string{
		"spark.executor.instances": "4", "spark.task.maxFailures": "1000", "spark.executor.maxNumFailures": "1000",
		"spark.hadoop.yarn.nm.liveness-monitor.expiry-interval-ms": "10000", "spark.hadoop.yarn.am.liveness-monitor.expiry-interval-ms": "20000",
		"spark.network.timeout": "20s", "spark.executor.heartbeatInterval": "2s", "spark.network.timeoutInterval": "5s",
		"spark.yarn.am.clientModeTreatDisconnectAsFailed": "false",
	})
	rnd := rand.New(rand.NewPCG(seed, 1))
	y.program = func(b *rpcenv.Blocking, on rdd.Runner) error {
		for range 6 {
			if err := y.count(b, on); err != nil {
				return err
			}
			if err := b.Sleep(5 * time.Second); err != nil {
				return err
			}
		}
		return nil
	}
	name := y.drive()
	for range 12 {
		y.Advance(time.Duration(rnd.Int64N(int64(4 * time.Second))))
		switch rnd.IntN(6) {
		case 0, 1: // an executor
			if len(y.executors) > 0 {
				if h := y.Find("Exec" + y.executors[rnd.IntN(len(y.executors))]); h != nil {
					executors++
					h.Kill()
				}
			}
		case 2: // the ApplicationMaster, once: another attempt follows
			if h := y.Find("AM1"); h != nil && masters == 0 {
				masters++
				h.Kill()
			}
		case 3: // a node without an ApplicationMaster, once
			if h := y.Find(fmt.Sprint("NM", 1+rnd.IntN(5))); h != nil && nodes == 0 {
				if m := y.Find("AM1"); m == nil || m.IP() != h.IP() {
					nodes++
					h.Vanish()
				}
			}
		case 4: // the ResourceManager does not hear one for a while
			peer := fmt.Sprint("NM", 1+rnd.IntN(5))
			if rnd.IntN(2) == 0 {
				peer = "AM1"
			}
			if y.Find(peer) == nil {
				continue
			}
			y.Cut(peer, "RM")
			y.Advance(time.Duration(rnd.Int64N(int64(3 * time.Second))))
			y.Heal(peer, "RM")
		case 5: // the ResourceManager begins again
			if err := y.Restart("RM"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := y.ended(name); code != 0 || strings.Count(fmt.Sprint(y.results), "1000") != 6 {
		t.Errorf("the driver ended with %d: %v", code, y.results)
	}
	y.Advance(30 * time.Second)
	for _, id := range y.executors {
		if h := y.Find("Exec" + id); h != nil {
			t.Errorf("executor %s outlives its driver", id)
		}
	}
	for i, am := range []string{"AM1", "AM2", "AM3"} {
		if h := y.Find(am); h != nil {
			t.Errorf("%s outlives its driver: %v", am, y.masters[am].Balances())
		}
		if m := y.masters[am]; m != nil {
			for _, b := range m.Balances() {
				if b.Target < 0 || b.Starting < 0 || b.Running < 0 || b.Pending < 0 {
					t.Errorf("attempt %d: %+v", i+1, b)
				}
			}
		}
	}
	return executors, masters, nodes
}
