package applicationmaster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// squares is a job of one stage.
var squares = rdd.Define("applicationmaster-test-squares", func(to int64) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, to, 8), func(n int64) int64 { return n * n })
})

// yard is a World with a real ResourceManager, NodeManagers, client, drivers, executors and ApplicationMasters.
type yard struct {
	*rpctest.World
	t        *testing.T
	rm       rpcenv.Address
	shelf    shelf
	settings map[string]string
	program  func(*rpcenv.Blocking, rdd.Runner) error

	tokens    map[string][]byte                               // of containers
	masters   map[string]*applicationmaster.ApplicationMaster // by process
	executors []string                                        // ids, as they were started
	results   []int
}

func newYard(t *testing.T, nodes int, settings map[string]string) *yard {
	t.Helper()
	return newSeededYard(t, 1, nodes, settings)
}

func newSeededYard(t *testing.T, seed uint64, nodes int, settings map[string]string) *yard {
	t.Helper()
	y := &yard{World: rpctest.New(t, seed), t: t, shelf: shelf{}, tokens: map[string][]byte{}, masters: map[string]*applicationmaster.ApplicationMaster{}}
	y.settings = map[string]string{
		"spark.master": "yarn", "spark.app.name": "squares", "spark.driver.memory": "1g",
		"spark.hadoop.yarn.scheduler.minimum-allocation-mb": "128", "spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms": "1000",
	}
	maps.Copy(y.settings, settings)
	y.program = y.count
	y.Roles[nodemanager.ContainerClass] = y.container
	y.rm = rpcenv.Address{Host: "10.9.0.1", Port: 8032}
	y.settings["spark.hadoop.yarn.resourcemanager.address"] = y.rm.String()
	if _, err := y.Boot("RM", y.rm.Host, y.resourceManager); err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		y.Register(y.Env(fmt.Sprint("NM", i+1), y.conf()), nodemanager.Name, nodemanager.New(nodemanager.Config{
			ResourceManager: y.rm, MemoryMB: 4096, VCores: 4, Containers: tokens(y.tokens),
		}))
	}
	y.Advance(3 * time.Second)
	return y
}

// resourceManager is one with records, which it finds when it is restarted.
func (y *yard) resourceManager(h *sim.Host) error {
	keys, err := resourcemanager.NewKeys(bytes.NewReader(bytes.Repeat([]byte{7}, 3*token.KeySize)))
	if err != nil {
		return err
	}
	env, err := rpcenv.New(h, rpcenv.Config{Name: "RM", Listen: y.rm, Conf: y.conf()})
	if err != nil {
		return err
	}
	_, err = resourcemanager.Start(env, resourcemanager.Config{Keys: keys, Store: y.shelf})
	return err
}

// shelf are the records of a ResourceManager.
type shelf map[string][]byte

func (s shelf) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		kept = append(kept, records.Change{Key: key, Value: s[key]})
	}
	return kept, nil, nil
}

func (s shelf) Write(_ *rpcenv.Blocking, changes []records.Change) error {
	for _, c := range changes {
		if c.Value == nil {
			delete(s, c.Key)
		} else {
			s[c.Key] = c.Value
		}
	}
	return nil
}

func (y *yard) conf() *conf.Conf {
	y.t.Helper()
	c, err := conf.New(y.settings)
	if err != nil {
		y.t.Fatal(err)
	}
	return c
}

// runner runs the jobs of a program.
type runner struct {
	d *driver.Driver
	b *rpcenv.Blocking
}

func (r runner) RunJob(_ context.Context, job rdd.Invocation, action rdd.Action) ([]rdd.Result, error) {
	return r.d.RunJob(r.b, job, action)
}

func (r runner) Partitions(_ context.Context, job rdd.Invocation) (int, error) {
	return r.d.Partitions(job)
}

// count is the program: it counts squares.
func (y *yard) count(_ *rpcenv.Blocking, on rdd.Runner) error {
	got, err := rdd.Collect(context.Background(), on, squares.With(1000))
	if err == nil {
		y.results = append(y.results, len(got))
	}
	return err
}

// container is a process that a NodeManager starts, by the words of its command.
func (y *yard) container(h *sim.Host, cmd rpcenv.Command) error {
	words := cmd.Args
	if len(words) < 2 {
		return fmt.Errorf("the command %q has no word", words)
	}
	id := ""
	for _, e := range cmd.Env {
		if v, ok := strings.CutPrefix(e, "CONTAINER_ID="); ok {
			id = v
		}
	}
	container, err := ids.ParseContainer(id)
	if err != nil {
		return err
	}
	switch words[1] {
	case submit.ExecutorWord:
		args, err := executor.ParseArgs(words[2:])
		if err != nil {
			return err
		}
		h.Rename("Exec" + args.ExecutorID)
		y.executors = append(y.executors, args.ExecutorID)
		return executor.Boot{Args: args, IO: executor.IO{Blocks: noBlocks{h.IP()}}}.Run(h)
	case submit.ApplicationMasterWord, submit.ExecutorLauncherWord:
		return y.master(h, id, container.Attempt, words[1] == submit.ApplicationMasterWord, words[2:])
	}
	return fmt.Errorf("no word %q", words[1])
}

func (y *yard) master(h *sim.Host, id string, attempt ids.Attempt, cluster bool, words []string) error {
	name := fmt.Sprint("AM", attempt.Attempt)
	h.Rename(name)
	args, err := applicationmaster.ParseArgs(words)
	if err != nil {
		return err
	}
	x := applicationmaster.Boot{
		ClusterMode: cluster, Args: args, Attempt: attempt, Host: h.IP(), Tokens: y.tokens[id], Env: rpcenv.Config{Name: name, Conf: y.conf()},
	}
	if cluster {
		x.Env.Listen.Host = h.IP()
	}
	r, err := x.Run(h)
	if err != nil {
		return err
	}
	y.masters[name] = r.Master
	if !cluster {
		return nil
	}
	r.Env.Go("main", func(b *rpcenv.Blocking) error {
		r.Attend(b, func() error { return y.program(b, runner{r.Driver, b}) })
		return nil
	})
	return nil
}

// tokens keeps what containers find beside them, by their ids.
type tokens map[string][]byte

func (k tokens) Prepare(_ *rpcenv.Blocking, c launch.Container) (launch.Container, error) {
	c.Dir, k[c.ID] = "/work/"+c.ID, c.Tokens
	return c, nil
}
func (tokens) Output(*rpcenv.Blocking, launch.Container) string         { return "" }
func (tokens) Remove(*rpcenv.Blocking, launch.Container) error          { return nil }
func (tokens) RemoveApplication(*rpcenv.Blocking, string, string) error { return nil }

// noBlocks keeps nothing: the job has no shuffle.
type noBlocks struct{ host string }

func (noBlocks) MapOutput(int32, int64, int) (executor.MapOutput, error) {
	return nil, errors.New("no map outputs are kept here")
}
func (noBlocks) Serve(func(string) ([]byte, bool)) {}
func (noBlocks) Create() (rdd.SpillFile, error)    { return nil, errors.New("nothing is spilled here") }
func (noBlocks) Put([]string, [][]byte) error      { return nil }
func (noBlocks) Get(id string) ([]byte, error)     { return nil, fmt.Errorf("no block %s", id) }
func (noBlocks) Remove(string) error               { return nil }
func (b noBlocks) Address() rpcenv.Address         { return rpcenv.Address{Host: b.host, Port: 1} }

// noFiles stages nothing.
type noFiles struct{}

func (noFiles) Home() (string, error) { return "file:/home/u", nil }
func (noFiles) Copy(_ *rpcenv.Blocking, dir, name, _ string) (yarnclient.Staged, error) {
	return yarnclient.Staged{URI: dir + "/" + name, Size: 1, Timestamp: 1, Visibility: yarn.LocalResourceVisibility_PRIVATE}, nil
}

func (noFiles) Archive(_ *rpcenv.Blocking, dir, name string, _ []yarnclient.ArchiveEntry) (yarnclient.Staged, error) {
	return yarnclient.Staged{URI: dir + "/" + name, Size: 1, Timestamp: 1, Visibility: yarn.LocalResourceVisibility_PRIVATE}, nil
}
func (noFiles) Remove(*rpcenv.Blocking, string) error { return nil }

// submitCluster submits the program in cluster mode, and gives the client's process.
func (y *yard) submitCluster() string {
	y.t.Helper()
	y.Register(y.ClientEnv("Client", y.conf()), yarnclient.Name, yarnclient.New(yarnclient.Config{
		ResourceManager: y.rm,
		Submit:          &yarnclient.Submission{Mode: submit.Cluster, Name: "squares", User: "ada", Program: "/p", Class: "squares", Files: noFiles{}},
	}))
	return "Client"
}

// drive runs the program with its driver in a process of its own, as in client mode, and gives that process.
func (y *yard) drive() string {
	y.t.Helper()
	env := y.Env("Driver", y.conf())
	d, err := driver.Start(env, driver.Config{AppName: "squares", YARN: &driver.YARN{
		ResourceManager: y.rm,
		Submission:      &yarnclient.Submission{Mode: submit.Client, Name: "squares", User: "ada", Program: "/p", Library: "/l", Files: noFiles{}},
	}})
	if err != nil {
		y.t.Fatal(err)
	}
	h := y.Find("Driver")
	env.Go("main", func(b *rpcenv.Blocking) error {
		err := y.program(b, runner{d, b})
		code := 0
		if err != nil {
			y.t.Log("the program:", err)
			code = 1
		}
		if err := d.StopWith(b, code); err != nil {
			y.t.Log("stop:", err)
		}
		h.Exit(code)
		return nil
	})
	return "Driver"
}

// ended runs the world until a process has ended, and gives its exit code.
func (y *yard) ended(name string) int {
	y.t.Helper()
	y.Until("the end of "+name, func() bool { _, ended := y.Exited(name); return ended })
	code, _ := y.Exited(name)
	return code
}
