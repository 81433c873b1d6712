package executor

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// fetched is what a reducer's task gets, until its error.
func fetched(t *testing.T, w *work, reduce int) (blocks []string, failed error) {
	t.Helper()
	world := rpctest.New(t, 1)
	ended := false
	world.Env("Exec0", nil).Go("task", func(b *rpcenv.Blocking) error {
		defer func() { ended = true }()
		for r, err := range w.fetch(b, 1, reduce) {
			if err != nil {
				failed = err
				continue
			}
			data, err := io.ReadAll(r)
			if err != nil || failed != nil {
				t.Errorf("%q, %v, after %v", data, err, failed)
			}
			blocks = append(blocks, string(data))
		}
		return nil
	})
	world.Until("the task's end", func() bool { return ended })
	return blocks, failed
}

// A reducer's blocks are named by the shuffle and the attempts that wrote them; empty ones are not asked for.
func TestAReducersBlocksAreNamedByTheirMapTasks(t *testing.T) {
	outputs := []*storagepb.MapStatus{
		at("1", "h1", 1, 10, 5, 0), at("1", "h1", 1, 11, 5, 5), at("0", "h0", 1, 12, 5, 5), at("0", "h0", 1, 13, 0, 0), at("1", "h1", 1, 14),
	}
	for reduce, want := range [][]string{
		{"shuffle_4_10_0", "shuffle_4_11_0", "shuffle_4_12_0"}, {"shuffle_4_11_1", "shuffle_4_12_1"}, nil,
	} {
		o := &outside{}
		w := reducer(o, outputs...)
		got, err := fetched(t, w, reduce)
		if err != nil || !slices.Equal(got, want) || int(w.fetched.RemoteBlocks+w.fetched.LocalBlocks) != len(want) {
			t.Errorf("reducer %d: %q, %v, %+v", reduce, got, err, w.fetched)
		}
		slices.Sort(o.notes)
		if reduce == 0 && !slices.Equal(o.notes, []string{"from h1:1 [shuffle_4_10_0 shuffle_4_11_0]", "own shuffle_4_12_0"}) {
			t.Errorf("%q", o.notes)
		}
	}
}

func TestAFetchThatFailsNamesTheMapOutput(t *testing.T) {
	gone := errors.New("gone")
	others := []*storagepb.MapStatus{at("1", "h1", 1, 10, 5), at("1", "h1", 1, 11, 0), at("1", "h1", 1, 12, 5), at("1", "h1", 1, 13, 5)}
	own := []*storagepb.MapStatus{at("0", "h0", 1, 10, 5), at("0", "h0", 1, 11, 0), at("0", "h0", 1, 12, 5)}
	for _, c := range []struct {
		name    string
		outputs []*storagepb.MapStatus
		lacks   string
		gives   int
		want    fetchError
	}{
		{"another's first", others, "shuffle_4_10_0", 0, fetchError{4, 0, 0, others[0].GetLocation(), gone}},
		{"another's second that is not empty", others, "shuffle_4_12_0", 1, fetchError{4, 2, 0, others[0].GetLocation(), gone}},
		{"one's own", own, "shuffle_4_12_0", 1, fetchError{4, 2, 0, own[0].GetLocation(), gone}},
		{
			"one that lies nowhere", append(slices.Clone(own), &storagepb.MapStatus{}), "", 0,
			fetchError{4, -1, 0, nil, errors.New("missing an output location for map output 3")},
		},
	} {
		o := &outside{lacks: map[string]error{c.lacks: gone}}
		gives, err := fetched(t, reducer(o, c.outputs...), 0)
		got, ok := errors.AsType[*fetchError](err)
		if !ok {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		w := c.want
		if len(gives) != c.gives || got.shuffle != w.shuffle || got.mapIndex != w.mapIndex || got.reduce != w.reduce || !proto.Equal(got.from, w.from) ||
			got.cause.Error() != w.cause.Error() || !errors.Is(got, got.cause) {
			t.Errorf("%s: %d blocks, then %+v, want %d, then %+v", c.name, len(gives), *got, c.gives, w)
		}
	}
	// The reducer is in it too.
	o := &outside{lacks: map[string]error{"shuffle_4_10_1": gone}}
	_, err := fetched(t, reducer(o, at("0", "h0", 1, 10, 5, 5)), 1)
	if err == nil || err.Error() != "fetch shuffle 4, map output 0, for reducer 1: gone" {
		t.Errorf("reducer 1: %v", err)
	}
}

// Nobody asks the driver whether an executor lives whose outputs a shuffle service has. A large block of one's own is opened, not read, if
// the block manager can.
func TestWhereATasksBlocksComeFrom(t *testing.T) {
	w := reducer(&outside{})
	if s := w.source(); s.Alive == nil || s.OpenOwn != nil {
		t.Errorf("%+v", s)
	}
	w.io.Blocks = opener{}
	for _, server := range []*storagepb.BlockManagerId{{ExecutorId: "0", Host: "h0", Port: 7337}, {ExecutorId: "0", Host: "h1", Port: 1}} {
		w.server = server
		if s := w.source(); s.Alive != nil || s.OpenOwn == nil {
			t.Errorf("%+v", s)
		}
	}
}

// opener is a block manager whose blocks are files.
type opener struct{ *outside }

func (opener) OpenBlock(string) (rdd.File, error) { return nil, errors.New("unused") }

func TestAMapOutputThatIsHereTwiceCountsOnce(t *testing.T) {
	o := ownOutputs{sizes: map[outputKey][]int64{}}
	for range 2 {
		o.add(outputKey{1, 2}, []int64{3, 4})
	}
	if o.bytes != 7 || len(o.sizes) != 1 {
		t.Errorf("%+v", o)
	}
}

// Each bound of a fetch is that of its setting; without settings they are Spark's.
func TestTheBoundsOfFetchesAreThoseOfTheSettings(t *testing.T) {
	for _, k := range []struct {
		settings map[string]string
		want     fetch.Limits
	}{
		{nil, fetch.Limits{InFlight: 48 << 20, Requests: 1<<31 - 1, Blocks: 1<<31 - 1, ToMemory: 200 << 20, Retries: 3, RetryWait: 5 * time.Second}},
		{
			map[string]string{
				"spark.reducer.maxSizeInFlight": "2m", "spark.reducer.maxReqsInFlight": "3", "spark.reducer.maxBlocksInFlightPerAddress": "4",
				"spark.network.maxRemoteBlockSizeFetchToMem": "5k", "spark.shuffle.io.maxRetries": "6", "spark.shuffle.io.retryWait": "7s",
			},
			fetch.Limits{InFlight: 2 << 20, Requests: 3, Blocks: 4, ToMemory: 5 << 10, Retries: 6, RetryWait: 7 * time.Second},
		},
	} {
		c, err := conf.New(k.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := fetchLimits(c); got != k.want {
			t.Errorf("%v: %+v, want %+v", k.settings, got, k.want)
		}
	}
}
