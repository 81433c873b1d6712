package driver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// twice has two shuffles: 4 map tasks, 3 in the middle, 2 result tasks.
var twice = rdd.Define("twice", func(int) rdd.Dataset[rdd.Pair[string, int64]] {
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
		u, _ := endOf(t, "")
		if f != nil {
			u.State, u.Failure, u.Result = app.TaskState_FAILED, f, nil
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
			r := newRig(t, seed, map[string]string{"spark.stage.maxConsecutiveAttempts": "20", "spark.task.maxFailures": "20"}, nil)
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
				r.Find(e.Env.Name()).Kill() // without rest: what is under way is lost
				if rnd.IntN(2) == 0 {
					id, err := strconv.Atoi(e.id)
					if err != nil {
						t.Fatal(err)
					}
					r.master.Send(r.at(appclient.Name), &deploy.ExecutorUpdated{
						Id: new(int32(id)), State: deploy.ExecutorState_EXITED, Message: new("Command exited with code"), ExitStatus: new(int32(137)),
					})
				}
				start()
			}
			for _, j := range jobs {
				j.counts()
			}
		})
	}
}
