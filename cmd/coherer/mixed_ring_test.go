package main

import (
	"flag"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
)

var ringSteps = flag.Int("ringsteps", 0, "how many members TestAMixedRingUnderJobs starts, ends and freezes")

// TestAMixedRingUnderJobs grows and shrinks a ring of a Master, a ResourceManager, Workers and NodeManagers while applications run on the Workers:
// members are started, killed, frozen, thawed and ended in good order, one after the other. After each step all that live believe in the same
// members: those that live.
func TestAMixedRingUnderJobs(t *testing.T) {
	if *ringSteps == 0 {
		t.Skip("it takes a second or two for each of -ringsteps=N: make soak")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	patience += time.Duration(*ringSteps) * 10 * time.Second
	r := &mixedRing{t: t, rnd: rand.New(rand.NewPCG(seed, 1))}
	m := r.start("master", "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	r.at = m.Gossip
	rm := r.start("resourcemanager", append([]string{"resourcemanager", "--port", "0", "--join", r.at}, quick...)...)
	grow := map[string]func(){
		"worker": func() {
			r.start("worker", "worker", "gossip://"+r.at, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
		},
		"nodemanager": func() {
			r.start("nodemanager", append([]string{"nodemanager", rm.URL, "--join", r.at, "--port", "0", "--local-dirs", t.TempDir(), "--log-dirs", t.TempDir()}, quick...)...)
		},
	}
	grow["worker"]()
	grow["worker"]()
	app := command(t, "submit", "--master", m.URL, "--executor-memory", "512m", "--conf", "spark.task.maxFailures=1000", "sleep", "--tasks", "100000", "--task-time", "20ms")
	app.Stderr = t.Output()
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	for step := range *ringSteps {
		kind := []string{"worker", "nodemanager"}[r.rnd.IntN(2)]
		mine := slices.DeleteFunc(slices.Clone(r.members), func(x *ringMember) bool { return x.role != kind })
		one := func() *ringMember { return mine[r.rnd.IntN(len(mine))] }
		switch what := r.rnd.IntN(5); {
		case len(mine) < 2 || what == 0 && len(mine) < 4:
			t.Logf("step %d: a new %s", step, kind)
			grow[kind]()
		case what == 1:
			r.end(one(), syscall.SIGKILL)
		case what == 2:
			r.end(one(), syscall.SIGTERM)
		default:
			x := one()
			t.Logf("step %d: %s %s stands still", step, x.role, x.at)
			signalAll(t, []*exec.Cmd{x.cmd}, syscall.SIGSTOP)
			x.frozen = true
			r.agree()
			signalAll(t, []*exec.Cmd{x.cmd}, syscall.SIGCONT)
			x.frozen = false
		}
		r.agree()
	}
	if err := app.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("the application has ended: %v", err)
	}
	_ = app.Wait() // its exit code is that of an interrupted program
}

// mixedRing is the members of the test's ring, whose processes it started.
type mixedRing struct {
	t       *testing.T
	rnd     *rand.Rand
	at      string // the gossip of one that always lives
	members []*ringMember
}

type ringMember struct {
	role, at string
	cmd      *exec.Cmd
	ready    process.Ready
	frozen   bool
}

func (r *mixedRing) start(role string, args ...string) process.Ready {
	r.t.Helper()
	cmd, ready := daemon(r.t, args...)
	_, at, _ := strings.Cut(ready.URL, "://")
	r.members = append(r.members, &ringMember{role: role, at: at, cmd: cmd, ready: ready})
	return ready
}

// end ends a member with a signal.
func (r *mixedRing) end(x *ringMember, sig syscall.Signal) {
	r.t.Helper()
	r.t.Logf("%s %s gets %s", x.role, x.at, sig)
	signalAll(r.t, []*exec.Cmd{x.cmd}, sig)
	_ = x.cmd.Wait() // its exit code is that of its signal
	r.members = slices.DeleteFunc(r.members, func(y *ringMember) bool { return y == x })
}

// agree waits until each that lives believes in those that live, and in no other daemon.
func (r *mixedRing) agree() {
	r.t.Helper()
	var want []string
	for _, x := range r.members {
		if !x.frozen {
			want = append(want, x.role+" "+x.at)
		}
	}
	slices.Sort(want)
	for _, x := range r.members {
		if x.frozen {
			continue
		}
		untilMembers(r.t, x.ready.Gossip, func(all []shownMember) bool {
			var got []string
			for _, m := range all {
				if m.Role != "driver" {
					got = append(got, m.Role+" "+m.RPC)
				}
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		})
	}
}
