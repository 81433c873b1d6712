package shuffleservice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// outputs notes what is asked of it. Directories that begin with /other are not its own.
type outputs struct {
	did  []string
	busy int // removals under way
	fail error
}

func (*outputs) Address() rpcenv.Address { return rpcenv.Address{Host: "h", Port: 7337} }

func (o *outputs) Add(x Executor, dirs []string) error {
	if strings.HasPrefix(dirs[0], "/other") {
		return errors.New("it is outside")
	}
	o.note("add %s %s %v", x.App, x.ID, dirs)
	return nil
}

func (o *outputs) Forget(x Executor) { o.note("forget %s %s", x.App, x.ID) }

func (o *outputs) Clean(b *rpcenv.Blocking, x Executor) error {
	return o.remove(b, fmt.Sprintf("clean %s %s", x.App, x.ID))
}

func (o *outputs) Remove(b *rpcenv.Blocking, dirs []string) error {
	return o.remove(b, fmt.Sprintf("remove %v", dirs))
}

// remove takes a second.
func (o *outputs) remove(b *rpcenv.Blocking, what string) error {
	if o.busy++; o.busy > 1 {
		o.note("two removals at once")
	}
	err := b.Sleep(time.Second)
	o.busy--
	o.note("%s", what)
	return errors.Join(err, o.fail)
}

func (o *outputs) note(format string, args ...any) {
	o.did = append(o.did, fmt.Sprintf(format, args...))
}

// rig is a Service, an executor and the daemon.
type rig struct {
	*rpctest.World
	t        *testing.T
	outputs  *outputs
	executor *rpctest.Probe
	daemon   *rpctest.Probe
	ref      rpcenv.Ref
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{World: rpctest.New(t, 1), t: t, outputs: &outputs{}}
	r.NoPanic()
	env := r.Env("W1", nil)
	r.ref = r.Register(env, Name, New(r.outputs))
	r.daemon, r.executor = r.ProbeIn(env, "Worker"), r.ProbeIn(r.ClientEnv("Exec0", nil), "Executor")
	return r
}

// hears lets the daemon send.
func (r *rig) hears(m ...rpcenv.Message) {
	for _, m := range m {
		r.daemon.Send(r.ref, m)
	}
	r.Settle()
}

// stop asks the service to stop an application; the answer sets answered.
func (r *rig) stop(app string, cleanUp bool, answered *bool) {
	r.daemon.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.ref, StopApplication{App: app, CleanUp: cleanUp}, func(v *rpc.Bool, err error) { *answered = v.GetValue() && err == nil })
	})
	r.Settle()
}

func (r *rig) register(app, executor string, dirs ...string) error {
	got, err := rpctest.Ask[*storage.ShuffleExecutorRegistered](r.executor, r.ref, &storage.RegisterShuffleExecutor{
		AppId: app, ExecId: executor, ExecutorInfo: &storage.ExecutorShuffleInfo{LocalDirs: dirs},
	})
	if at := got.GetShuffleServerId(); err == nil && (at.GetExecutorId() != executor || at.GetHost() != "h" || at.GetPort() != 7337) {
		r.t.Errorf("its outputs are served at %v", at)
	}
	return err
}

func (r *rig) mustRegister(app, executor string, dirs ...string) {
	r.t.Helper()
	if err := r.register(app, executor, dirs...); err != nil {
		r.t.Fatal(err)
	}
}

// want checks what was asked of Outputs since the last call.
func (r *rig) want(did ...string) {
	r.t.Helper()
	if !slices.Equal(r.outputs.did, did) {
		r.t.Errorf("got %q, want %q", r.outputs.did, did)
	}
	r.outputs.did = nil
}

func TestAnExecutorRegistersAgain(t *testing.T) {
	r := newRig(t)
	r.hears(InitializeApplication{App: "app"})
	r.mustRegister("app", "0", "/a")
	r.hears(InitializeApplication{App: "app"}) // with the next executor: the first stays
	r.mustRegister("app", "0", "/a", "/b")
	r.want("add app 0 [/a]", "add app 0 [/a /b]")
	var answered bool
	r.stop("app", true, &answered)
	r.Advance(time.Second)
	r.want("forget app 0", "remove [/a /b]")
}

func TestOnlyApplicationsOfTheDaemonRegister(t *testing.T) {
	r := newRig(t)
	if err := r.register("app", "0", "/a"); !errors.Is(err, ErrUnknownApplication) || !strings.Contains(err.Error(), `"app"`) {
		t.Error(err)
	}
	var answered bool
	r.hears(InitializeApplication{App: "app"})
	r.stop("app", true, &answered)
	r.Advance(time.Second)
	if err := r.register("app", "0", "/a"); !errors.Is(err, ErrUnknownApplication) {
		t.Errorf("after its end: %v", err)
	}
	r.want("remove []")
}

func TestDirectoriesOfOthersAreRefused(t *testing.T) {
	r := newRig(t)
	r.hears(InitializeApplication{App: "app"})
	for name, dirs := range map[string][]string{
		"none": nil, "relative": {"a"}, "empty": {""}, "with a detour": {"/a", "/a/../../etc"}, "not clean": {"/a/"},
		"too many": make([]string, maxDirs+1), "another's": {"/other"},
	} {
		if err := r.register("app", "0", dirs...); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, executor := range []string{"", "../0", "a b", strings.Repeat("x", 129)} {
		if err := r.register("app", executor, "/a"); err == nil {
			t.Errorf("executor %q is registered", executor)
		}
	}
	r.want()
	r.hears(ExecutorRemoved{App: "app", Executor: "0"})
	r.want()
}

func TestTheNumberOfExecutorsIsBounded(t *testing.T) {
	b := book{apps: map[string]map[string][]string{"app": {}}}
	for i := range maxExecutors {
		b.enter(Executor{"app", fmt.Sprint(i)}, nil)
	}
	q := func(executor string) *storage.RegisterShuffleExecutor {
		return &storage.RegisterShuffleExecutor{AppId: "app", ExecId: executor, ExecutorInfo: &storage.ExecutorShuffleInfo{LocalDirs: []string{"/a"}}}
	}
	if err := b.check(q("new")); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	if err := b.check(q("7")); err != nil { // again
		t.Error(err)
	}
}

func TestWhatIsNoMapOutputGoesWithItsExecutor(t *testing.T) {
	r := newRig(t)
	r.hears(InitializeApplication{App: "app"})
	r.mustRegister("app", "0", "/a")
	r.outputs.did = nil
	r.hears(ExecutorRemoved{App: "app", Executor: "0"}, ExecutorRemoved{App: "app", Executor: "7"}, ExecutorRemoved{App: "none", Executor: "0"})
	r.Advance(5 * time.Second)
	r.want("clean app 0")
	r.mustRegister("app", "1", "/b") // and it serves on
	r.want("add app 1 [/b]")
}

// Whoever removes what lies around the directories must come after the service, also when a removal before takes its time.
func TestRemovalsComeOneAfterTheOther(t *testing.T) {
	r := newRig(t)
	r.hears(InitializeApplication{App: "app"})
	r.mustRegister("app", "0", "/a")
	r.outputs.did = nil
	var answered bool
	r.hears(ExecutorRemoved{App: "app", Executor: "0"})
	r.stop("app", true, &answered)
	r.want("forget app 0")
	r.Advance(1500 * time.Millisecond)
	if answered {
		t.Error("it is answered before its directories are gone")
	}
	r.Advance(time.Second)
	r.want("clean app 0", "remove [/a]")
	if !answered {
		t.Error("it is not answered")
	}
}

func TestAnApplicationEndsWithItsDirectories(t *testing.T) {
	r := newRig(t)
	r.hears(InitializeApplication{App: "app"}, InitializeApplication{App: "other"})
	r.mustRegister("app", "1", "/b")
	r.mustRegister("app", "0", "/a", "/c")
	r.mustRegister("other", "0", "/d")
	r.outputs.did = nil
	r.outputs.fail = errors.New("a disk is broken") // which is no reason to wait for ever
	var answered, kept, unknown bool
	r.stop("app", true, &answered)
	r.stop("other", false, &kept)
	r.stop("none", true, &unknown)
	r.Advance(3 * time.Second)
	r.want("forget app 0", "forget app 1", "forget other 0", "remove [/a /c /b]", "remove []", "remove []")
	if !answered || !kept || !unknown {
		t.Error("not answered:", answered, kept, unknown)
	}
}
