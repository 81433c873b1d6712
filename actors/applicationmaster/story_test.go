package applicationmaster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// What an ApplicationMaster says of itself, line by line, and what the trace shows.
func TestWhatAnApplicationMasterSays(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "2", "spark.yarn.maxAppAttempts": "1"})
	r.said.Reset()
	r.give(3) // one too many
	r.Until("executors", func() bool { return len(r.starts) == 2 })
	r.untilCalls(len(r.calls) + 1)
	r.endNow(2, 3)
	r.driver.Crash()
	r.untilExit()
	names := strings.NewReplacer("<app>", attempt.App.String(), "<attempt>", attempt.String(), "<1>", container(1), "<2>", container(2), "<3>", container(3),
		"<host>", r.node.Env.Address().Host, "<driver>", r.driver.Env.Address().String())
	if got, want := r.lines(), names.Replace(`info Received 3 containers from YARN, launching executors on 2 of them.
info Launching container <1> on host <host> for executor with ID 1 for ResourceProfile Id 0
info Launching container <2> on host <host> for executor with ID 2 for ResourceProfile Id 0
info Completed container <2> on host: <host> (exit status: 3)
info Updating resource requests for ResourceProfile id: 0, target: 2, pending: 0, running: 1, executorsStarting: 0
info Will request 1 executor container(s) for ResourceProfile Id: 0
info Driver terminated or disconnected! Shutting down. <driver>
info Final app status: APP_SUCCEEDED, exitCode: 0, (reason: )
info exit 0: 
`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := r.states(), names.Replace(`application master <attempt>:  -> REGISTERED 
asks <app>:  -> profile=0 target=2 pending=2 running=0 starting=0 
container <3>:  -> RELEASED no request matches it
container <1>:  -> LAUNCHING executor 1
container <2>:  -> LAUNCHING executor 2
container <1>: LAUNCHING -> LAUNCHED executor 1
container <2>: LAUNCHING -> LAUNCHED executor 2
asks <app>: profile=0 target=2 pending=2 running=0 starting=0 -> profile=0 target=2 pending=0 running=2 starting=0 
container <2>:  -> COMPLETED Container from a bad node: <2> on host: <host>. Exit status: 3. Diagnostics: a crash.
asks <app>: profile=0 target=2 pending=0 running=2 starting=0 -> profile=0 target=2 pending=1 running=1 starting=0 
application master <attempt>:  -> FINISHING 
process AM1:  -> exited 0 
`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A start that failed is reported with its reason, and the container given back. A node that refuses counts as a failure, one
// that is gone does not.
func TestWhatIsSaidOfAStartThatFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		do    func(r *rig)
		why   string
		ended bool
	}{
		{"refused", func(r *rig) { r.refuse = true }, "the NodeManager refused it: InvalidAuxServiceException: spark_shuffle does not exist", true},
		{"not named", func(r *rig) { r.mute = true }, "the NodeManager refused it: its answer does not name the container", true},
		{"gone", func(r *rig) { r.node.Crash() }, "no connection: 10.0.0.2:7077: dial 10.0.0.2:7077: connection refused", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := client(t, map[string]string{"spark.executor.instances": "1", "spark.executor.maxNumFailures": "1"})
			tt.do(r)
			r.give(1)
			r.Advance(5 * time.Second)
			if got, want := r.lines("Failed to launch"), "error Failed to launch executor 1 on container "+container(1)+": "+tt.why+"\n"; got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			if want := "container " + container(1) + ": LAUNCHING -> RELEASED " + tt.why + "\n"; !strings.Contains(r.states(), want) {
				t.Errorf("%s", r.states())
			}
			if ended := r.exit() >= 0; ended != tt.ended {
				t.Errorf("ended %t: %s", ended, r.lines("exit"))
			}
		})
	}
}

// With an ask that fails, or too many wants, the driver's words are logged.
func TestWhatIsSaidOfTheDriversAsks(t *testing.T) {
	r := client(t, nil)
	r.said.Reset()
	r.request(allocator.MostExecutors)
	if got := r.lines("at most"); got != "" {
		t.Errorf("%s", got)
	}
	r.request(allocator.MostExecutors + 1)
	r.drive(t, &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{Id: -1}}}})
	r.drive(t, &app.KillExecutors{ExecutorIds: []string{"7"}})
	_, err := rpctest.Ask[*app.ExecutorExited](r.driver, r.managers[0], &app.GetExecutorLossReason{ExecutorId: "7"})
	if !errors.Is(err, rpcenv.ErrRefused) || !strings.HasSuffix(err.Error(), ": Fail to find loss reason for non-existent executor 7") {
		t.Error(err)
	}
	most := fmt.Sprint(allocator.MostExecutors)
	if got, want := r.lines("at most", "Ignored", "executor(s)", "unknown", "non-existent"), "warning The driver wants "+fmt.Sprint(allocator.MostExecutors+1)+" executors of profile 0: at most "+most+" are asked for\n"+
		"warning Ignored a request for executors of profile -1: ids of profiles begin at 0\n"+
		"info Driver requested to kill executor(s) [7].\nwarning Attempted to kill unknown executor 7!\n"+
		"warning Tried to get the loss reason for non-existent executor 7\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// What a ResourceManager says that cannot be is logged, and left out.
func TestWhatCannotBeIsIgnored(t *testing.T) {
	r := client(t, nil)
	r.give(4)
	given := r.next.AllocatedContainers
	given[0].NodeId.Host = "h;rm"
	given[1].Id.AppAttemptId.AttemptId = 9
	given[2].Id = nil
	given[3].NodeId.Port = 0
	r.next.CompletedContainerStatuses = []*yarn.ContainerStatus{{}}
	r.next.NmTokens = []*yarn.NMToken{{NodeId: &yarn.NodeId{Host: "h"}}}
	r.untilCalls(len(r.calls) + 2)
	if got, want := r.lines("Ignored", "Received"), "warning Ignored a container: "+container(1)+`: its node "h;rm:7077" is no host and port`+
		"\nwarning Ignored a container: container_1767225600000_0001_09_000002 is not of this attempt\nwarning Ignored a container: "+noID+
		"\nwarning Ignored a container: "+container(4)+`: its node "10.0.0.2:0" is no host and port`+"\nwarning Ignored the end of a container: "+noID+"\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if len(r.starts) != 0 || len(r.calls[len(r.calls)-1].GetRelease()) != 0 {
		t.Errorf("%v, %v", r.starts, r.calls[len(r.calls)-1])
	}
}

// noID is what is wrong with a container without an id.
const noID = "container 0: attempt 0: application_0_0000 is no application id: its number counts from 1, its timestamp from 0"

// container is the id of a container, as text.
func container(seq int64) string { return ids.Container{Attempt: attempt, Seq: seq}.String() }

// A target that falls takes requests back, and says of none that it is made.
func TestATargetThatFallsRequestsNothing(t *testing.T) {
	r := client(t, nil)
	r.Advance(50 * time.Millisecond)
	r.said.Reset()
	r.request(1)
	r.untilCalls(2)
	want := "info Updating resource requests for ResourceProfile id: 0, target: 1, pending: 2, running: 0, executorsStarting: 0\n"
	if got := r.lines("Updating", "Will request"); got != want || r.last() != "*:1" {
		t.Errorf("%s, asked %s", got, r.last())
	}
}
