package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// twice has two shuffles: 4 map tasks, 3 in the middle, 2 result tasks.
var twice = rdd.Define("driver-test-twice", func(int) rdd.Dataset[rdd.Pair[string, int64]] {
	sum := func(a, b int64) int64 { return a + b }
	pairs := rdd.Map(rdd.Range(0, 9, 4), func(i int64) rdd.Pair[string, int64] { return rdd.PairOf("k", i) })
	middle := rdd.Map(rdd.ReduceByKey(pairs, sum, 3), func(p rdd.Pair[string, int64]) rdd.Pair[string, int64] { return p })
	return rdd.ReduceByKey(middle, sum, 2)
})

// finishLater is a tick of a stormy executor.
type finishLater struct {
	rpcenv.Local
	task *app.TaskDescription
}

// stormy makes an executor take time for its tasks and, before a reduce task ends, ask for the outputs and miss those
// of executors that are gone.
func (e *executor) stormy(gone map[string]bool, rnd *rand.Rand) {
	scheduler, tracker := e.r.at(driver.Name), e.r.at(mapoutput.Name)
	report := func(c *rpcenv.Context, t *app.TaskDescription, f *app.TaskFailure) {
		u := &app.StatusUpdate{ExecutorId: e.id, TaskId: new(t.GetTaskId()), State: app.TaskState_FINISHED}
		switch {
		case f != nil:
			u.State, u.Failure = app.TaskState_FAILED, f
		case t.ShuffleId != nil:
			u.Result = &app.TaskResult{MapStatus: &storage.MapStatus{Location: e.blockManager(), MapId: t.GetTaskId()}}
		default:
			u.Result = &app.TaskResult{Count: int64(t.GetPartitionId())}
		}
		c.Send(scheduler, u)
	}
	e.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *app.LaunchTask:
			c.After(time.Duration(rnd.IntN(300))*time.Millisecond, finishLater{task: m.GetData()})
		case finishLater:
			t := m.task
			reads := t.GetStageId()%3 - 1 // the shuffle of the stage before
			if reads < 0 {
				report(c, t, nil)
				break
			}
			shuffle := t.GetShuffles()[reads]
			rpcenv.Ask(c, tracker, &storage.GetMapOutputStatuses{ShuffleId: &shuffle}, func(s *storage.MapOutputStatuses, err error) {
				if err != nil {
					return // the job is over
				}
				for i, status := range s.GetStatuses() {
					at := status.GetLocation()
					if at == nil {
						report(c, t, &app.TaskFailure{Kind: "FetchFailed", ShuffleId: shuffle, MapIndex: -1})
						return
					}
					if gone[at.GetExecutorId()] {
						report(c, t, &app.TaskFailure{Kind: "FetchFailed", ShuffleId: shuffle, MapIndex: int32(i), BlockManager: at})
						return
					}
				}
				report(c, t, nil)
			})
		}
		return true
	})
}

// TestJobsSurviveExecutorsThatComeAndGo crashes executors at random moments; each is replaced, and each second one is
// reported by the Master.
func TestJobsSurviveExecutorsThatComeAndGo(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			r := newSeededRig(t, seed, map[string]string{"spark.stage.maxConsecutiveAttempts": "20", "spark.task.maxFailures": "20"})
			rnd, gone := rand.New(rand.NewPCG(seed, 0)), map[string]bool{}
			var live []*executor
			start := func() {
				e := r.launched(strconv.Itoa(len(live)+len(gone)), 1+rnd.IntN(2))
				e.stormy(gone, rnd)
				live = append(live, e)
			}
			jobs := []*job{run(r, twice.With(1)), run(r, twice.With(2))}
			for range 3 {
				start()
			}
			for range 6 {
				r.Advance(time.Duration(rnd.IntN(400)) * time.Millisecond)
				i := rnd.IntN(len(live))
				e := live[i]
				live = slices.Delete(live, i, i+1)
				gone[e.id] = true
				e.crash()
				if rnd.IntN(2) == 0 {
					id, err := strconv.Atoi(e.id)
					if err != nil {
						t.Fatal(err)
					}
					r.tellExited(int32(id), 137)
				}
				start()
			}
			for _, j := range jobs {
				if got := j.counts(); !slices.Equal(got, []int64{0, 1}) {
					t.Errorf("results %v", got)
				}
			}
			for _, m := range r.events.Waiting() {
				if text := fmt.Sprintf("%+v", m); strings.Contains(text, "panic") {
					t.Error(text)
				}
			}
		})
	}
}
