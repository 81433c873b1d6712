package applicationmaster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

func TestClusterModeOnARealResourceManager(t *testing.T) {
	y := newYard(t, 3, nil)
	if code := y.ended(y.submitCluster()); code != 0 {
		t.Error("the client ended with", code)
	}
	if fmt.Sprint(y.results) != "[1000]" || len(y.executors) != 2 || y.ended("AM1") != 0 {
		t.Error(y.results, y.executors)
	}
	y.Advance(5 * time.Second)
	for _, id := range y.executors {
		if _, ended := y.Exited("Exec" + id); !ended {
			t.Error("executor", id, "lives")
		}
	}
}

func TestClientModeOnARealResourceManager(t *testing.T) {
	y := newYard(t, 3, nil)
	if code := y.ended(y.drive()); code != 0 {
		t.Error("the driver ended with", code)
	}
	if code := y.ended("AM1"); code != 0 || fmt.Sprint(y.results) != "[1000]" || len(y.executors) != 2 {
		t.Error(code, y.results, y.executors)
	}
}

// A cluster that has room for some of the executors only: the others are asked for until the end.
func TestAnApplicationThatWantsMoreThanThereIs(t *testing.T) {
	y := newYard(t, 1, map[string]string{"spark.executor.instances": "10"})
	if code := y.ended(y.submitCluster()); code != 0 || fmt.Sprint(y.results) != "[1000]" {
		t.Error(code, y.results)
	}
	if len(y.executors) != 1 {
		t.Error(len(y.executors), "executors on one small node")
	}
}

// twice makes the program one that counts, lets something happen, waits for d, and counts again.
func (y *yard) twice(between func(), d time.Duration) {
	y.program = func(b *rpcenv.Blocking, on rdd.Runner) error {
		if err := y.count(b, on); err != nil {
			return err
		}
		between()
		if err := b.Sleep(d); err != nil {
			return err
		}
		return y.count(b, on)
	}
}

// SPARK-20079, SPARK-12864: the ApplicationMaster of a driver in client mode dies when five executors run. The next one asks
// for five, whose ids go on behind the fifth.
func TestADriverOutlivesItsApplicationMaster(t *testing.T) {
	y := newYard(t, 4, map[string]string{"spark.executor.instances": "5", "spark.scheduler.minRegisteredResourcesRatio": "1"})
	y.twice(func() { y.Find("AM1").Kill() }, 20*time.Second)
	if code := y.ended(y.drive()); code != 0 || fmt.Sprint(y.results) != "[1000 1000]" {
		t.Error(code, y.results)
	}
	if code := y.ended("AM2"); code != 0 || fmt.Sprint(slices.Sorted(slices.Values(y.executors))) != "[1 10 2 3 4 5 6 7 8 9]" {
		t.Error(code, y.executors)
	}
}

// In cluster mode the driver dies with its ApplicationMaster; the next attempt runs the program from its beginning.
func TestASecondAttemptRunsTheProgramAgain(t *testing.T) {
	y := newYard(t, 3, nil)
	killed := false
	y.twice(func() {
		if !killed {
			killed = true
			y.Find("AM1").Kill()
		}
	}, time.Second)
	if code := y.ended(y.submitCluster()); code != 0 || fmt.Sprint(y.results) != "[1000 1000 1000]" || y.ended("AM2") != 0 {
		t.Error(code, y.results)
	}
}

// An executor that dies is replaced, and the program goes on.
func TestAnExecutorDiesUnderAnApplication(t *testing.T) {
	y := newYard(t, 3, map[string]string{
		"spark.hadoop.yarn.nm.liveness-monitor.expiry-interval-ms": "10000", "spark.scheduler.minRegisteredResourcesRatio": "1",
	})
	var lost string
	y.twice(func() {
		for _, id := range y.executors {
			if h := y.Find("Exec" + id); h != nil {
				lost = id
				h.Kill()
				return
			}
		}
	}, 0)
	if code := y.ended(y.drive()); code != 0 || fmt.Sprint(y.results) != "[1000 1000]" || lost == "" {
		t.Error(code, y.results, lost)
	}
}

// A node that vanishes takes its executors with it: YARN reports that when it misses the node, and the ApplicationMaster asks for others.
func TestANodeVanishesUnderAnApplication(t *testing.T) {
	y := newYard(t, 4, map[string]string{
		"spark.hadoop.yarn.nm.liveness-monitor.expiry-interval-ms": "10000", "spark.network.timeout": "10s",
		"spark.executor.heartbeatInterval": "2s", "spark.network.timeoutInterval": "5s",
		"spark.hadoop.yarn.scheduler.minimum-allocation-mb": "1408", // two in a node
		"spark.executor.instances":                          "4", "spark.scheduler.minRegisteredResourcesRatio": "1",
	})
	lost := 0
	y.twice(func() {
		for _, name := range []string{"NM1", "NM2", "NM3", "NM4"} {
			if h := y.Find(name); h.IP() != y.Find("AM1").IP() {
				for _, id := range y.executors {
					if x := y.Find("Exec" + id); x != nil && x.IP() == h.IP() {
						lost++
					}
				}
				h.Vanish()
				return
			}
		}
	}, 30*time.Second)
	if code := y.ended(y.drive()); code != 0 || fmt.Sprint(y.results) != "[1000 1000]" {
		t.Error(code, y.results)
	}
	if lost == 0 || len(y.executors) != 4+lost {
		t.Errorf("%d were lost, %d were started in all", lost, len(y.executors))
	}
}

// A ResourceManager that is killed and begins again finds the application; its ApplicationMaster registers anew and goes on,
// and what ran goes on.
func TestAnApplicationOutlivesItsResourceManager(t *testing.T) {
	y := newYard(t, 3, map[string]string{"spark.executor.instances": "3"})
	killed := ""
	y.twice(func() {
		if err := y.Restart("RM"); err != nil {
			y.t.Error(err)
		}
		killed = y.executors[0]
		y.Find("Exec" + killed).Kill() // what it lacks then is asked of the new one
	}, 40*time.Second)
	if code := y.ended(y.drive()); code != 0 || fmt.Sprint(y.results) != "[1000 1000]" {
		t.Error(code, y.results)
	}
	if code := y.ended("AM1"); code != 0 || len(y.executors) != 4 {
		t.Error(code, y.executors)
	}
}
