package master_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// wanted is a driver of one core and 512 MiB.
func wanted(supervise bool) *deploy.DriverDescription {
	return &deploy.DriverDescription{JarUrl: "/app", Cores: 1, Mem: 512, Supervise: supervise, Command: &deploy.Command{
		MainClass: "org.apache.spark.deploy.worker.DriverWrapper", Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi"},
	}}
}

// ask asks the Master.
func ask[Q rpcenv.Asks[R], R rpcenv.Message](k *kit, q Q) R {
	k.t.Helper()
	r, err := rpctest.Ask[R](k.tool, k.ref, q)
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

// submit submits a driver and returns its id.
func (k *kit) submit(d *deploy.DriverDescription) string {
	k.t.Helper()
	r := ask(k, &deploy.RequestSubmitDriver{DriverDescription: d})
	if want := "Driver successfully submitted as " + r.GetDriverId(); !r.GetSuccess() || r.GetMessage() != want {
		k.t.Fatalf("%v, want success and %s", r, want)
	}
	return r.GetDriverId()
}

func (k *kit) status(id string) *deploy.DriverStatusResponse {
	k.t.Helper()
	return ask(k, &deploy.RequestDriverStatus{DriverId: id})
}

// wantState checks a driver's state.
func (k *kit) wantState(id string, want deploy.DriverState_State) {
	k.t.Helper()
	if r := k.status(id); !r.GetFound() || r.GetState() != want {
		k.t.Errorf("%s: %v, want %s", id, r, want)
	}
}

// driverReport asks as a Worker does when a driver has ended.
func (w *worker) driverReport(id string, state deploy.DriverState_State) {
	w.k.t.Helper()
	ok, err := rpctest.Ask[*rpc.Bool](w.Probe, w.k.ref, &deploy.DriverStateChanged{DriverId: id, State: state})
	if err != nil || !ok.GetValue() {
		w.k.t.Fatalf("report of %s %s: %v, %v; want true", id, state, ok, err)
	}
}

func (w *worker) launchedDriver() *deploy.LaunchDriver {
	w.k.t.Helper()
	return next[*deploy.LaunchDriver](w.k.t, w.Probe)
}

func TestDriverIDs(t *testing.T) {
	for pattern, want := range map[string]string{
		"driver-%s-%04d": `^driver-\d{14}-000[01]$`, "d%s_%d": `^d\d{14}_[01]$`,
		"up/%s/%d": `^driver-\d{14}-000[01]$`, "no number": `^driver-\d{14}-000[01]$`,
	} {
		k := newKit(t, "spark.deploy.driverIdPattern", pattern)
		a, b := k.submit(wanted(false)), k.submit(wanted(false))
		if ok, err := regexp.MatchString(want, b); a == b || !ok || err != nil {
			t.Errorf("%s: %s, %s", pattern, a, b)
		}
	}
}

// TestTheShareOfDriversHasACap: SPARK-27750, drivers that have all cores wait for executors for ever.
func TestTheShareOfDriversHasACap(t *testing.T) {
	for share, launched := range map[string]int{"1": 6, "0.5": 3, "0.1": 0} {
		k := newKit(t, "coherer.master.maxDriverShare", share)
		for i := range 3 {
			k.worker(fmt.Sprintf("W%d", i), 2, 4096)
		}
		var ids []string
		for range 6 {
			ids = append(ids, k.submit(wanted(false)))
		}
		n := 0
		for _, id := range ids {
			if r := k.status(id); r.GetState() == deploy.DriverState_RUNNING {
				n++
			} else if text := fmt.Sprint(r.GetRefused()); !strings.Contains(text, "coherer.master.maxDriverShare") {
				t.Error(text)
			}
		}
		if n != launched {
			t.Errorf("with a share of %s %d run, want %d", share, n, launched)
		}
	}
}

func TestTheDriversThatAreRemembered(t *testing.T) {
	k := newKit(t, "spark.deploy.retainedDrivers", "20")
	w := k.worker("W1", 1, 1024)
	var ids []string
	for range 23 {
		ids = append(ids, k.submit(wanted(false)))
		w.launchedDriver()
		w.driverReport(ids[len(ids)-1], deploy.DriverState_FINISHED)
	}
	// 20 are full: a tenth, two, goes when the 21st comes, and again when the 23rd does.
	for i, id := range ids {
		if found := k.status(id).GetFound(); found != (i >= 4) {
			t.Errorf("%d: found %v", i, found)
		}
	}
	if r := ask(k, &deploy.RequestClearCompletedDriversAndApps{}); !r.GetValue() {
		t.Error(r)
	}
	if s := k.state(); len(s.CompletedDrivers) != 0 {
		t.Errorf("%v", s.CompletedDrivers)
	}
}
