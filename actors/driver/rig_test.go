package driver_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// words has one shuffle: two map tasks, then two result tasks.
var words = rdd.Define("words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
	lines := rdd.FlatMap(rdd.Parallelize(text, 2), strings.FieldsSeq)
	ones := rdd.Map(lines, func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
})

// keyed is a pair for each word, in so many partitions.
func keyed(text []string, partitions int) rdd.Dataset[rdd.Pair[string, int64]] {
	return rdd.Map(rdd.Parallelize(text, partitions), func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
}

var (
	// joined has a stage of two map tasks for one side, one of one for the other, and two result tasks.
	joined = rdd.Define("join", func(text []string) rdd.Dataset[rdd.Pair[string, rdd.Both[int64, int64]]] {
		return rdd.Join(keyed(text, 2), keyed(text, 1), 2)
	})
	// joinedSums joins what is in the partitions of the join already: its last stage reads both shuffles, and there is no further one.
	joinedSums = rdd.Define("joinSums", func(text []string) rdd.Dataset[rdd.Pair[string, rdd.Both[int64, []int64]]] {
		sums := rdd.ReduceByKey(keyed(text, 2), func(a, b int64) int64 { return a + b }, 2)
		return rdd.Join(sums, rdd.GroupByKey(rdd.MapValues(sums, func(n int64) int64 { return -n }), 2), 2)
	})
	// united has the partitions of a source, then those behind a shuffle.
	united = rdd.Define("union", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
		return rdd.Union(keyed(text, 1), rdd.ReduceByKey(keyed(text, 1), func(a, b int64) int64 { return a + b }, 1))
	})
	// sorted has two ranges, up to m and behind it.
	sorted = rdd.Define("sort", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
		return rdd.SortByKey(keyed(text, 1), rdd.Bounds[string]{Upper: []string{"m"}})
	})
)

// numbers has one stage of three tasks.
var numbers = rdd.Define("numbers", func(to int64) rdd.Dataset[int64] { return rdd.Range(0, to, 3) })

// tasksOf has one stage of so many tasks.
var tasksOf = rdd.Define("tasks", func(n int) rdd.Dataset[int64] { return rdd.Range(0, int64(n), n) })

// together has a barrier stage of n tasks that brings the result, togetherMap one that writes a shuffle.
var together = rdd.Define("together", func(n int) rdd.Dataset[int64] { return meeting(n) })

var togetherMap = rdd.Define("together before a shuffle", func(n int) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(meeting(n), func(i int64) rdd.Pair[int64, int64] { return rdd.PairOf(i, i) })
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 1)
})

func meeting(n int) rdd.Dataset[int64] {
	return rdd.Barrier(rdd.Range(0, int64(n), n), func(t rdd.BarrierTask, in iter.Seq[int64]) iter.Seq[int64] {
		t.Barrier()
		return in
	})
}

// near has one stage of a task for each word: the places where it wants to run, separated by commas; - is none.
var near = rdd.Define("near", func(places []string) rdd.Dataset[int64] {
	return rdd.Prefer(rdd.Range(0, 9, len(places)), func(partition int) []string {
		if places[partition] == "-" {
			return nil
		}
		return strings.Split(places[partition], ",")
	})
})

// settings are a Conf of some settings.
func settings(t *testing.T, pairs map[string]string) *conf.Conf {
	t.Helper()
	c, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rig is a driver in a World whose Master has taken its application.
type rig struct {
	*rpctest.World
	t      *testing.T
	driver *driver.Driver
	env    *rpcenv.Env
	master *rpctest.Probe
}

// newRig makes a rig whose driver splits files of fs.
func newRig(t *testing.T, seed uint64, pairs map[string]string, fs rdd.FS) *rig {
	t.Helper()
	return newRigWith(t, seed, pairs, func(cfg *driver.Config) { cfg.FS = fs })
}

// newRigWith makes a rig whose driver has some more than others.
func newRigWith(t *testing.T, seed uint64, pairs map[string]string, change func(*driver.Config)) *rig {
	t.Helper()
	w := rpctest.New(t, seed)
	w.NoPanic()
	r := &rig{World: w, t: t, master: w.Probe("Master"), env: w.Env("Driver", settings(t, pairs))}
	cfg := driver.Config{AppName: "test", Masters: []rpcenv.Address{r.master.Ref.Address}, ConfDir: "/conf"}
	change(&cfg)
	var err error
	if r.driver, err = driver.Start(r.env, cfg); err != nil {
		t.Fatal(err)
	}
	r.master.Next()
	r.master.Send(r.at(appclient.Name), &deploy.RegisteredApplication{AppId: "app-1", Master: r.master.Ref.Proto()})
	return r
}

func (r *rig) at(endpoint string) rpcenv.Ref { return r.env.Ref(r.env.Address(), endpoint) }

// executor is a probe in client mode that acts as an executor.
type executor struct {
	*rpctest.Probe
	r  *rig
	id string
}

// registered makes an executor that is registered and has not said yet that it takes tasks.
func (r *rig) registered(id string, cores int) *executor {
	r.t.Helper()
	e := &executor{r.ProbeIn(r.ClientEnv("Exec"+id, nil), "Executor"), r, id}
	q := &app.RegisterExecutor{ExecutorId: id, ExecutorRef: &rpc.EndpointRef{Name: "Executor"}, Hostname: "host" + id, Cores: int32(cores)}
	if _, err := rpctest.Ask[*rpc.Bool](e.Probe, r.at(driver.Name), q); err != nil {
		r.t.Fatal(err)
	}
	return e
}

// launched makes an executor that is registered and takes tasks.
func (r *rig) launched(id string, cores int) *executor {
	r.t.Helper()
	e := r.registered(id, cores)
	e.Send(r.at(driver.Name), &app.LaunchedExecutor{ExecutorId: id})
	return e
}

// job is a job that runs.
type job struct {
	r       *rig
	done    bool
	results []rdd.Result
	err     error
}

// run starts a job.
func run[T any](r *rig, b rdd.Bound[T]) *job { return runWith(r, b, nil) }

// runWith starts a job that has properties.
func runWith[T any](r *rig, b rdd.Bound[T], properties map[string]string) *job {
	r.t.Helper()
	inv, err := b.Invocation()
	if err != nil {
		r.t.Fatal(err)
	}
	inv.Properties = properties
	j := &job{r: r}
	r.env.Go("program", func(b *rpcenv.Blocking) error {
		j.results, j.err = r.driver.RunJob(b, inv, rdd.ActionCount)
		j.done = true
		return nil
	})
	return j
}

// counts waits for the job, whose results are the numbers of two partitions.
func (j *job) counts() {
	j.r.t.Helper()
	j.r.Until("the job's end", func() bool { return j.done })
	var out []int64
	for _, res := range j.results {
		out = append(out, res.Count)
	}
	if j.err != nil || !slices.Equal(out, []int64{0, 1}) {
		j.r.t.Errorf("results %v, %v", out, j.err)
	}
}

// failure waits for the job's failure.
func (j *job) failure() string {
	j.r.t.Helper()
	j.r.Until("the job's end", func() bool { return j.done })
	if j.err == nil {
		j.r.t.Fatal("the job succeeded")
	}
	return j.err.Error()
}

// program runs a body of the driver's program to its end.
func (r *rig) program(body func(b *rpcenv.Blocking) error) (err error) {
	r.t.Helper()
	done := false
	r.env.Go("program", func(b *rpcenv.Blocking) error {
		err, done = body(b), true
		return nil
	})
	r.Until("the program's end", func() bool { return done })
	return err
}
