package master

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// said collects reasons: the profile, the filter, the reason and the help of each.
type said []string

func (s *said) say(p resourceProfile, filter, reason, help string) {
	*s = append(*s, fmt.Sprintf("%d %s: %s / %s", p.ID, filter, reason, help))
}

// is fails unless want was said, and forgets it.
func (s *said) is(t *testing.T, want ...string) {
	t.Helper()
	if got, want := strings.Join(*s, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	*s = nil
}

// An application that has its executors, its cores or no room for a whole executor in its maximum gets nothing more.
func TestWhyAnApplicationHasEnough(t *testing.T) {
	const toLimit = "nothing: its driver asks for more by RequestExecutors when it needs them (spark.dynamicAllocation)"
	const toMaximum = "nothing, or raise spark.cores.max (when that is unset, the Master's spark.deploy.defaultCores)"
	for _, test := range []struct {
		executors, limit, maximum, granted int
		want                               string
	}{
		{2, 2, 5, 4, "7 limit: it has 2 executors of profile 7 and wants 2 in all / " + toLimit},
		{2, 1, 5, 4, "7 limit: it has 2 executors of profile 7 and wants 1 in all / " + toLimit},
		{2, 3, 4, 4, "7 maximum: it has 4 cores, all that it may have / " + toMaximum},
		{1, 3, 2, 2, "7 maximum: it has 2 cores, all that it may have / " + toMaximum},
		{2, 3, 5, 4, "7 maximum: it has 4 of the 5 cores that it may have: 1 more are no whole executor of 2 / " +
			"nothing, or raise spark.cores.max to a multiple of spark.executor.cores"},
		{0, 3, 1, 0, "7 maximum: an executor wants 2 cores, the application may have 1 in all / " +
			"raise spark.cores.max to 2 or more, or lower spark.executor.cores"},
	} {
		a := &applicationInfo{MaxCores: test.maximum, CoresGranted: test.granted, perProfile: map[int]int{7: test.executors}}
		var s said
		a.sayEnough(resourceProfile{ID: 7, Cores: 2, Limit: test.limit}, s.say)
		s.is(t, test.want)
	}
}

func TestWhyOfAnApplicationThatIsOver(t *testing.T) {
	started := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		state     ApplicationState
		why, want string
	}{
		{ApplicationFinished, byItsDriver, "FINISHED%s, by its driver's wish / nothing: it waits for nothing any more"},
		{ApplicationFailed, "executors failed", "FAILED%s / submit it again"},
		{ApplicationKilled, "killed by a user", "KILLED%s: killed by a user / submit it again, unless its driver ended"},
	} {
		a := &applicationInfo{State: test.state, Started: started, Ended: started.Add(90*time.Second + 900*time.Millisecond), endedFor: test.why}
		var s said
		a.sayEnd(s.say)
		s.is(t, "0 ended: it is over: "+fmt.Sprintf(test.want, " at 2026-01-01 00:01:30, after 1m30s"))
	}
}

// The largest of the executors decides whether a task finds room; without an executor it is unknown.
func TestWhyNoTaskFindsRoom(t *testing.T) {
	for _, test := range []struct {
		cores []int
		want  string
	}{
		{nil, ""},
		{[]int{2, 3, 1}, "0 task: a task wants 4 cores (spark.task.cpus), the largest of its 3 executors has 3: none takes a task / " +
			"lower spark.task.cpus to 3, or start Workers of 4 cores and set spark.executor.cores to 4"},
		{[]int{2, 4, 1}, ""},
		{[]int{5}, ""},
	} {
		a := &applicationInfo{Desc: &deploy.ApplicationDescription{CpusPerTask: proto.Int32(4)}}
		for _, n := range test.cores {
			a.executors = append(a.executors, &executorDesc{Cores: n})
		}
		var s said
		a.sayTasks(s.say)
		s.is(t, test.want)
	}
}

// The answer names executors that ended early until one is healthy, or none has ended for ten minutes; for an application that is
// over, always.
func TestWhenEarlyEndsAreToldOf(t *testing.T) {
	now := time.Unix(10_000, 0)
	for _, test := range []struct {
		early int
		ago   time.Duration // of the last end
		state ApplicationState
		ran   time.Duration // of an executor that is RUNNING
		named bool
	}{
		{0, 0, ApplicationRunning, 0, false},
		{1, 0, ApplicationRunning, 0, true},
		{1, 0, ApplicationRunning, time.Minute - 1, true},
		{1, 0, ApplicationRunning, time.Minute, false},
		{1, 10 * time.Minute, ApplicationRunning, 0, true},
		{1, 10*time.Minute + 1, ApplicationRunning, 0, false},
		{1, 10*time.Minute + 1, ApplicationFailed, 0, true},
		{0, 0, ApplicationFailed, 0, false},
	} {
		a := &applicationInfo{State: test.state}
		a.health.early, a.health.last = test.early, now.Add(-test.ago)
		a.executors = []*executorDesc{{State: deploy.ExecutorState_RUNNING, runningSince: now.Add(-test.ran)}}
		var s said
		if a.sayExits(now, s.say); (len(s) == 1) != test.named {
			t.Errorf("%+v: %q", test, s)
		}
	}
}

// How an executor ended has all that is known of it: how long it ran, what its Worker wrote and what its code means.
func TestHowAnExecutorEndedEarly(t *testing.T) {
	now := time.Unix(10_000, 0)
	const last = "4 executors ended early in a row; the last, app/7 on w1, was EXITED 1.5 s ago"
	const help = " / see what it wrote: stderr in the directory app/7 under the work directory of w1"
	const reach = " / set spark.driver.host (and spark.driver.port) to an address that workers reach, or let them through"
	for _, test := range []struct {
		code    *int32
		message string
		ran     time.Duration
		command []string
		want    string
	}{
		{want: "exits: " + last + help},
		{message: "no disk", ran: 2 * time.Second, want: "exits: " + last + " after 2.0 s: no disk" + help},
		{code: proto.Int32(1), want: "exits: " + last + help},
		{code: proto.Int32(143), message: "code 143", want: "exits: " + last + ": code 143, which means SIGTERM: somebody asked it to end" + help},
		{
			code: proto.Int32(UnreachableExit), message: "code 61", command: []string{"--driver-url", "spark://S@h:1"},
			want: "address: " + last + ": code 61. It could not reach the driver at spark://S@h:1, whose client the Master hears from h:2" + reach,
		},
		{
			code: proto.Int32(UnreachableExit), command: []string{"x", "--driver-url"},
			want: "address: " + last + ". It could not reach the driver at its address, whose client the Master hears from h:2" + reach,
		},
		{
			code: proto.Int32(UnreachableExit), command: []string{"x", "y"},
			want: "address: " + last + ". It could not reach the driver at its address, whose client the Master hears from h:2" + reach,
		},
	} {
		a := &applicationInfo{
			Driver: rpcenv.Ref{Address: rpcenv.Address{Host: "h", Port: 2}},
			Desc:   &deploy.ApplicationDescription{Command: &deploy.Command{Arguments: test.command}},
		}
		a.health.early, a.health.last = 4, now
		a.health.end = ending{
			id: "app/7", worker: "w1", state: deploy.ExecutorState_EXITED, code: test.code, message: test.message,
			at: now.Add(-1500 * time.Millisecond), ran: test.ran,
		}
		var s said
		a.sayExits(now, s.say)
		s.is(t, "0 "+test.want)
	}
}

// A pause has a reason until it is over.
func TestThePauseInWords(t *testing.T) {
	now := time.Unix(10_000, 0)
	for wait, want := range map[time.Duration]string{
		-time.Second: "", 0: "",
		time.Nanosecond:         "nothing is launched for another 0.0 s, since executors of it ended early",
		1500 * time.Millisecond: "nothing is launched for another 1.5 s, since executors of it ended early",
	} {
		a := &applicationInfo{}
		a.health.notBefore = now.Add(wait)
		if got := a.pause(now); got != want {
			t.Errorf("%s: %q, want %q", wait, got, want)
		}
	}
}

// What an executor wants has numbers, with a plural for cores alone.
func TestWhatAnExecutorWantsInWords(t *testing.T) {
	p := resourceProfile{Memory: 512, Resources: []requirement{{"gpu", 1}, {"npu", 2}}}
	if got, want := p.words(), "an executor wants 1 core and 512 MiB of memory, 1 gpu, 2 npu"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p = resourceProfile{Cores: 2, Memory: 1}
	if got, want := p.words(), "an executor wants 2 cores and 1 MiB of memory"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Cores(0)+counted(1, "cores")+counted(1, "gpu"), "0 cores1 core1 gpu"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The settings to lower are those that are beyond each ALIVE Worker, with the most that one of them has.
func TestWhatAnExecutorWouldHaveToLower(t *testing.T) {
	m := New(Config{})
	for _, w := range []*workerInfo{
		{ID: "a", Cores: 2, Memory: 2048, resources: gpus(1)},
		{ID: "b", Cores: 4, Memory: 1024, resources: gpus(2)},
		{ID: "c", Cores: 99, Memory: 99999, resources: gpus(9), State: WorkerDead},
	} {
		m.workers.add(w)
	}
	for _, test := range []struct {
		cores, memory, gpus int
		want                string
	}{
		{4, 2048, 2, "what an executor takes until one worker has it all"}, // no Worker has the memory and the cores
		{4, 2049, 2, "spark.executor.memory to 2048m"},
		{5, 2048, 2, "spark.executor.cores to 4"},
		{4, 2048, 3, "spark.executor.resource.gpu.amount to 2"},
		{5, 2049, 3, "spark.executor.memory to 2048m and spark.executor.cores to 4 and spark.executor.resource.gpu.amount to 2"},
	} {
		p := resourceProfile{Cores: test.cores, Memory: test.memory, Resources: []requirement{{"gpu", test.gpus}}}
		if got := m.lower(p); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// The answer about an unknown id has the id that looks like it, else those that have it as a part, else the latest five.
func TestWhichIDsAreNear(t *testing.T) {
	m := New(Config{})
	for _, id := range []string{"app-0", "app-1", "job-2", "app-3"} {
		m.completed = append(m.completed, &applicationInfo{ID: id})
	}
	for _, id := range []string{"app-4", "job-5", "app-6"} {
		m.apps = append(m.apps, &applicationInfo{ID: id})
	}
	for id, want := range map[string]string{
		"":      "app-6 job-5 app-4 app-3 job-2",
		"zzz":   "app-6 job-5 app-4 app-3 job-2",
		"job":   "job-5 job-2",
		"app":   "app-6 app-4 app-3 app-1 app-0",
		"apq-3": "app-3",
	} {
		if got := strings.Join(m.near(id), " "); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
	if got := New(Config{}).near("app-0"); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
