package executor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// outside has every block, except those that it lacks, and notes what it is asked for.
type outside struct {
	lacks map[string]error
	notes []string
}

func (o *outside) MapOutput(shuffle int32, task int64, reducers int) (MapOutput, error) {
	o.notes = append(o.notes, fmt.Sprintf("begin %s of %d", blockID(shuffle, task, 0), reducers))
	return &noted{outside: o, at: -1, sizes: make([]int64, reducers)}, o.lacks["begin"]
}

// noted is a map output that notes what is done with it.
type noted struct {
	*outside
	at    int
	sizes []int64
}

func (n *noted) Partition(reduce int) error {
	n.at = reduce
	return n.lacks[fmt.Sprint("partition ", reduce)]
}

func (n *noted) Write(p []byte) (int, error) {
	n.notes = append(n.notes, fmt.Sprintf("write %q to %d", p, n.at))
	n.sizes[n.at] += int64(len(p))
	return len(p), n.lacks["write"]
}

func (n *noted) Commit() ([]int64, error) {
	n.notes = append(n.notes, "commit")
	return n.sizes, n.lacks["commit"]
}

func (n *noted) Abort() error {
	n.notes = append(n.notes, "abort")
	return n.lacks["abort"]
}

func (o *outside) Create() (rdd.SpillFile, error) { return nil, o.lacks["temporary"] }

func (o *outside) Put(ids []string, data [][]byte) error {
	o.notes = append(o.notes, fmt.Sprintf("keep %q as %s", data, ids))
	return o.lacks[ids[0]]
}

func (o *outside) Get(id string) ([]byte, error) {
	o.notes = append(o.notes, "own "+id)
	return []byte(id), o.lacks[id]
}

func (o *outside) Remove(id string) error {
	o.notes = append(o.notes, "remove "+id)
	return o.lacks[id]
}

func (*outside) Serve(func(string) ([]byte, bool)) {}

func (*outside) Address() rpcenv.Address { return rpcenv.Address{Host: "h0", Port: 1} }

func (o *outside) Fetch(_ *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(i int, data []byte) error) error {
	o.notes = append(o.notes, fmt.Sprintf("from %s %s", from, ids))
	for i, id := range ids {
		if err := o.lacks[id]; err != nil {
			return err
		}
		if err := each(i, []byte(id)); err != nil {
			return err
		}
	}
	return o.lacks["end of "+ids[0]]
}

// at is a map output with blocks of these sizes.
func at(executor, host string, port int32, mapID int64, sizes ...int64) *storagepb.MapStatus {
	return &storagepb.MapStatus{
		Location: &storagepb.BlockManagerId{ExecutorId: executor, Host: host, Port: port}, MapId: mapID, Sizes: sizes,
	}
}

// reducer is the work of a task of executor 0 that reads shuffle 4, the second one of its job.
func reducer(o *outside, outputs ...*storagepb.MapStatus) *work {
	own := &storagepb.BlockManagerId{ExecutorId: "0", Host: "h0", Port: 1}
	return &work{
		desc: &app.TaskDescription{Name: "task", TaskId: 9, Shuffles: []int32{3, 4}, ShuffleId: proto.Int32(4)}, io: IO{Blocks: o, Transfer: o},
		self: own, server: own, outputs: map[int][]*storagepb.MapStatus{1: outputs},
		limits: limits{fetch: fetch.Limits{InFlight: 1 << 20, Requests: 5, Blocks: 5, ToMemory: 1 << 20}},
	}
}

func TestRunningTasksAreNamedInOrder(t *testing.T) {
	s := newState()
	var want []int64
	for id := range int64(20) {
		s.tasks[id] = &task{}
		want = append(want, id)
	}
	if got := s.runningTasks(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A result goes in the message, waits as a block, or is given up, to the byte as the settings say.
func TestAResultGoesAsItsSizeSays(t *testing.T) {
	for _, c := range []struct {
		settings string
		size     int
		want     string
	}{
		{"", 0, "direct"},
		{"", 1 << 20, "direct"},
		{"", 1<<20 + 1, "block"},
		{"spark.task.maxDirectResultSize=10b", 10, "direct"},
		{"spark.task.maxDirectResultSize=10b", 11, "block"},
		{"spark.task.maxDirectResultSize=9m spark.rpc.message.maxSize=2", 2 << 20, "direct"},
		{"spark.task.maxDirectResultSize=9m spark.rpc.message.maxSize=2", 2<<20 + 1, "block"},
		{"spark.task.maxDirectResultSize=1g", 32 << 20, "direct"},
		{"spark.task.maxDirectResultSize=1g", 32<<20 + 1, "block"},
		{"spark.driver.maxResultSize=5b", 5, "direct"},
		{"spark.driver.maxResultSize=5b", 6, "none"},
		{"spark.driver.maxResultSize=2m", 2 << 20, "block"},
		{"spark.driver.maxResultSize=2m", 2<<20 + 1, "none"},
		{"spark.driver.maxResultSize=0", 2 << 20, "block"},
	} {
		pairs := map[string]string{}
		for pair := range strings.FieldsSeq(c.settings) {
			key, value, _ := strings.Cut(pair, "=")
			pairs[key] = value
		}
		settings, err := conf.New(pairs)
		if err != nil {
			t.Fatal(err)
		}
		o, result := &kept{}, &app.TaskResult{}
		w := reducer(&outside{})
		w.io.Blocks, w.limits = o, limitsOf(settings)
		if err := w.bring(result, make([]byte, c.size)); err != nil {
			t.Fatal(err)
		}
		got := "?"
		switch size := int64(c.size); {
		case len(result.GetRecords()) == c.size && result.GetSize() == 0 && o.id == "":
			got = "direct"
		case len(o.data) == c.size && o.id == "taskresult_9" && result.GetSize() == size && result.GetBlockManager() == w.self && result.Records == nil:
			got = "block"
		case result.GetSize() == size && result.GetBlockManager() == nil && result.Records == nil && o.id == "":
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s, %d bytes: %s, want %s", c.settings, c.size, got, c.want)
		}
	}
}

// kept is the one block that was put.
type kept struct {
	outside
	id   string
	data []byte
}

func (k *kept) Put(ids []string, data [][]byte) error {
	k.id, k.data = ids[0], data[0]
	return nil
}

func TestAResultThatCannotBeKeptFailsItsTask(t *testing.T) {
	w := reducer(&outside{lacks: map[string]error{"taskresult_9": errors.New("no space left on device")}})
	err := w.bring(&app.TaskResult{}, []byte("abc"))
	if err == nil || err.Error() != "keep the result of task: no space left on device" {
		t.Error(err)
	}
}

var halves = rdd.Define("executor test: halves", func(bad bool) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, 4, 1), func(n int64) rdd.Pair[int64, int64] {
		if bad {
			panic("bad")
		}
		return rdd.PairOf(n/2, n)
	})
	return rdd.ReduceByKey(pairs, func(a, b int64) int64 { return a + b }, 3)
})

// mapper is the work of the map task of halves.
func mapper(t *testing.T, o *outside, bad bool) (*work, rdd.Task) {
	inv, err := halves.With(bad).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	w := reducer(o)
	w.lineage = inv.Lineage
	s := inv.Lineage.Shuffles()[0]
	splits, err := inv.Lineage.Splits(nil, s.MapNode)
	if err != nil {
		t.Fatal(err)
	}
	return w, rdd.Task{Node: s.MapNode, Split: splits[0]}
}

// A map output is begun, written, and then committed or given up: nothing of a task that failed is left.
func TestAMapOutputIsCommittedOrGivenUp(t *testing.T) {
	full := errors.New("no space left on device")
	for _, c := range []struct {
		lacks  string
		bad    bool
		notes  []string
		failed string
	}{
		{"", false, []string{"begin shuffle_4_9_0 of 3", `write "\x02\n" to 0`, `write "\x00\x02" to 1`, "commit"}, ""},
		{"begin", false, []string{"begin shuffle_4_9_0 of 3"}, "keep the map output of task: no space left on device"},
		{"partition 1", false, []string{"begin shuffle_4_9_0 of 3", `write "\x02\n" to 0`, "abort"}, "rdd: write map output: no space left on device"},
		{"write", false, []string{"begin shuffle_4_9_0 of 3", `write "\x02\n" to 0`, "abort"}, "rdd: write map output: no space left on device"},
		{
			"commit", false,
			[]string{"begin shuffle_4_9_0 of 3", `write "\x02\n" to 0`, `write "\x00\x02" to 1`, "commit"},
			"keep the map output of task: no space left on device",
		},
		{"", true, []string{"begin shuffle_4_9_0 of 3", "abort"}, "panicked: bad"},
		{"abort", true, []string{"begin shuffle_4_9_0 of 3", "abort"}, "remove the map output of task: no space left on device"},
	} {
		o := &outside{lacks: map[string]error{c.lacks: full}}
		w, task := mapper(t, o, c.bad)
		status, err := w.writeMap(task, 0)
		if !slices.Equal(o.notes, c.notes) {
			t.Errorf("%q: %q, want %q", c.lacks, o.notes, c.notes)
		}
		if c.failed != "" {
			if status != nil || err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%q: %v, %v", c.lacks, status, err)
			}
			continue
		}
		if want := at("0", "h0", 1, 9, 2, 2, 0); err != nil || !proto.Equal(status, want) {
			t.Errorf("%v, %v, want %v", status, err, want)
		}
	}
}

func TestTheNameOfAShuffleBlock(t *testing.T) {
	if shuffle, task, reduce, ok := ParseShuffleBlock(blockID(4, 9, 7)); shuffle != 4 || task != 9 || reduce != 7 || !ok {
		t.Error(shuffle, task, reduce, ok)
	}
	for _, id := range []string{"", "shuffle_4_9", "shuffle_4_9_7_", "shuffle_4_9_07", "shuffle_4_9_-7", "shuffle_-4_9_7", "taskresult_4", "xshuffle_4_9_7", "shuffle_99999999999_9_7"} {
		if _, _, _, ok := ParseShuffleBlock(id); ok {
			t.Errorf("%q is taken for a block", id)
		}
	}
}

func TestAMapTaskWritesForAShuffleOfItsJob(t *testing.T) {
	w := reducer(&outside{})
	if i, err := w.shuffleIndex(); i != 1 || err != nil {
		t.Errorf("shuffle 4 is number %d, %v", i, err)
	}
	w.desc.ShuffleId = proto.Int32(5)
	if i, err := w.shuffleIndex(); i != 0 || err == nil || err.Error() != "rdd: bad task: task writes shuffle 5, which its job does not have" {
		t.Errorf("shuffle 5 is number %d, %v", i, err)
	}
}

// The folders of a task's checkpoints go by their nodes; datasets that are kept as blocks have none.
func TestWhereATaskFindsItsCheckpoints(t *testing.T) {
	w := &work{desc: &app.TaskDescription{Persisted: []*app.PersistedNode{{Node: 1, RddId: 4}, {Node: 3, RddId: 5, Checkpoint: "/c/rdd-5"}}}}
	if got := w.checkpoints(); len(got) != 1 || got[3] != "/c/rdd-5" {
		t.Errorf("%v", got)
	}
}
