package status_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/status"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func at(port int) rpcenv.Address { return rpcenv.Address{Host: "m", Port: port} }

const now = 1_000_000

func ExampleText() {
	fmt.Print(status.Text([]status.Master{
		{Address: at(1), State: &deploy.MasterStateResponse{
			Status: "ALIVE", WebUiUrl: "http://m:8080", TimeMs: now,
			Workers: []*deploy.WorkerInfo{
				{Id: "worker-1", State: "ALIVE", Cores: 4, CoresUsed: 3, Memory: 4096, MemoryUsed: 1536, LastHeartbeatMs: now - 2000},
				{Id: "worker-2", State: "DEAD", Cores: 4, Memory: 4096, LastHeartbeatMs: now - 90_000},
			},
			ActiveApps:    []*deploy.ApplicationInfo{{Id: "app-1", Name: "Pi", State: "RUNNING", CoresGranted: 2, StartMs: now - 65_000, Executors: make([]*deploy.ExecutorDesc, 2)}},
			ActiveDrivers: []*deploy.DriverInfo{{Id: "driver-1", MainClass: "Pi", State: deploy.DriverState_SUBMITTED, StartMs: now - 1000}},
			Demands: []*deploy.Demand{{DriverId: "driver-1", Cores: 9, Memory: 1024, Blockers: []*deploy.Blocker{
				{Filter: "cores", Workers: 1, WorkerId: "worker-1", Reason: "a driver wants 9 cores, the worker has 4", Help: "ask for less"},
			}}},
			DemandsMore: 2,
			Failures: []*deploy.Failure{
				{TimeMs: now - 30_000, Kind: "worker", Id: "worker-2", WorkerId: "worker-2", State: "DEAD", Reason: "Not receiving heartbeat for 60 seconds"},
				{TimeMs: now - 3000, Kind: "executor", Id: "app-1/0", WorkerId: "worker-1", State: "EXITED", Reason: "Command exited with code 3"},
			},
		}},
		{Address: at(2), State: &deploy.MasterStateResponse{Status: "STANDBY"}},
		{Address: at(3), Err: errors.New("connection refused")},
	}))
	// Output:
	// Master spark://m:1 is ALIVE, its pages are at http://m:8080
	// Master spark://m:2 is STANDBY
	// Master spark://m:3 does not answer: connection refused
	// 1 of 2 Workers alive; cores 3 of 4 used; memory 1536 MiB of 4.0 GiB used; applications: 1 active, 0 completed; drivers: 1 active, 0 completed
	//
	// WORKER    STATE  CORES   MEMORY               HEARD OF
	// worker-2  DEAD   0 of 4  0 MiB of 4.0 GiB     1m30s ago
	// worker-1  ALIVE  3 of 4  1536 MiB of 4.0 GiB  2s ago
	//
	// APPLICATION  NAME  STATE    CORES  EXECUTORS  SUBMITTED
	// app-1        Pi    RUNNING  2      2          1m5s ago
	//
	// DRIVER    CLASS  STATE      WORKER  SUBMITTED
	// driver-1  Pi     SUBMITTED  -       1s ago
	//
	// WAITS
	// driver driver-1, for 9 cores and 1024 MiB:
	//   1 Workers refuse, as worker-1: a driver wants 9 cores, the worker has 4; would help: ask for less
	// and 2 more
	//
	// FAILED
	// 3s ago: executor app-1/0 at worker-1: EXITED, Command exited with code 3
	// 30s ago: worker worker-2: DEAD, Not receiving heartbeat for 60 seconds
}

// TestTheScreenIsBounded also when names try to steer the terminal.
func TestTheScreenIsBounded(t *testing.T) {
	s := &deploy.MasterStateResponse{Status: "ALIVE"}
	const bad = "a\x1b[2Jb\nc\td"
	for range 1000 {
		s.Workers = append(s.Workers, &deploy.WorkerInfo{Id: bad, State: bad})
		s.ActiveApps = append(s.ActiveApps, &deploy.ApplicationInfo{Id: bad, Name: bad})
		s.ActiveDrivers = append(s.ActiveDrivers, &deploy.DriverInfo{Id: bad, MainClass: bad})
		s.Demands = append(s.Demands, &deploy.Demand{AppId: bad, Name: bad, Blockers: []*deploy.Blocker{{Reason: bad, WorkerId: bad, Workers: 1}}})
		s.Failures = append(s.Failures, &deploy.Failure{Id: bad, Reason: bad})
	}
	text := status.Text([]status.Master{{Address: at(1), State: s}})
	if n := strings.Count(text, "\n"); n > 60 || strings.Contains(text, "\x1b") || strings.Contains(text, "\nc") || !strings.Contains(text, `a\x1b[2Jb\nc\td`) {
		t.Errorf("%d lines:\n%q", n, text)
	}
}

func TestTheLeaderIsTheOneOfTheHighestTerm(t *testing.T) {
	m := func(state string, term uint64) status.Master {
		return status.Master{State: &deploy.MasterStateResponse{Status: state, MasterTerm: term}}
	}
	if l := status.Leader([]status.Master{m("ALIVE", 3), m("STANDBY", 9), m("RECOVERING", 4), {Err: errors.New("x")}}); l.GetMasterTerm() != 4 {
		t.Error(l)
	}
	if l := status.Leader([]status.Master{m("STANDBY", 9), {Err: errors.New("x")}}); l != nil {
		t.Error(l)
	}
}

func TestACluster(t *testing.T) {
	c := local.Start(t, local.Config{Kind: local.InProcess})
	h, ip := c.Process("Status")
	env, err := rpcenv.New(h, rpcenv.Config{Name: "Status", Listen: rpcenv.Address{Host: ip}})
	if err != nil {
		t.Fatal(err)
	}
	nobody := rpcenv.Address{Host: c.MasterAddress.Host, Port: 1}
	all, err := status.Take(t.Context(), env, []rpcenv.Address{c.MasterAddress, nobody})
	if err != nil {
		t.Fatal(err)
	}
	if text := status.Text(all); !strings.Contains(text, "2 of 2 Workers alive; cores 0 of 2 used; memory 0 MiB of 2.0 GiB used") || !strings.Contains(text, "does not answer: ") {
		t.Error(text)
	}
	if _, err := status.Take(t.Context(), env, []rpcenv.Address{nobody}); err == nil || !strings.HasPrefix(err.Error(), "no Master answers: "+nobody.SparkURL()+": ") {
		t.Error(err)
	}
}
