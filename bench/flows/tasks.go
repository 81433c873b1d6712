package flows

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/rpcenv"
)

// patientDriver gives up no executor that is silent.
var patientDriver = map[string]string{"spark.network.timeout": "86400s"}

// tasksPerJob makes a job long enough for its beginning and end to cost little, and short enough to begin at once.
const tasksPerJob = 20_000

// jobsAtOnce are two, so that tasks wait while a job ends and the next one begins.
const jobsAtOnce = 2

// emptyTasks is a job of n tasks, whose executors need to compute nothing.
var emptyTasks = rdd.Define("bench: empty tasks", func(n int) rdd.Dataset[int64] { return rdd.Range(0, int64(n), n) })

// serveTasks starts a driver that always has tasks, and the Master that takes its application.
func serveTasks(r *role) error {
	if _, err := r.env.Register(master.Name, master.New(master.Config{})); err != nil {
		return err
	}
	d, err := driver.Start(r.env, driver.Config{AppName: "bench", Masters: []rpcenv.Address{r.env.Address()}})
	if err != nil {
		return err
	}
	job, err := emptyTasks.With(tasksPerJob).Invocation()
	if err != nil {
		return err
	}
	// The driver's scheduler reports the end of a task to the DAGScheduler before it launches the one that follows.
	r.count.CountBy(func() uint64 { return received(r.env, dag.Name, "CompletionEvent") })
	for range jobsAtOnce {
		r.env.Go("jobs", func(b *rpcenv.Blocking) error {
			for {
				if _, err := d.RunJob(b, job, rdd.ActionCount); err != nil {
					if !b.Done() {
						r.env.Log().WithError(err).Error("no tasks any more")
					}
					return err
				}
			}
		})
	}
	return nil
}

// seat is an executor with a task.
type seat struct {
	env   *rpcenv.Env
	ref   rpcenv.Ref
	began time.Duration // its operation
}

func runTasks(ctx context.Context, d *drive) error {
	seats := make([]seat, d.spec.Pairs)
	err := together(ctx, len(seats), func(ctx context.Context, i int) error {
		if err := d.seat(ctx, i, &seats[i]); err != nil {
			return fmt.Errorf("executor %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.begin = func(i int, at time.Duration) {
		s := &seats[i]
		s.began = at
		if err := s.env.Send(s.ref, hollow.Finish{}); err != nil {
			d.end(err)
		}
	}
	return d.trialOf(ctx, len(seats))
}

// seat brings up an executor, until it has a task.
func (d *drive) seat(ctx context.Context, i int, s *seat) (err error) {
	if s.env, err = d.stage.Env("Exec"+strconv.Itoa(i), rpcenv.Address{}, nil); err != nil {
		return err
	}
	first := make(chan error, 1)
	seated := false // the executor's own
	s.ref, err = s.env.Register(executor.Name, &hollow.Executor{
		Driver: rpcenv.Ref{Address: d.role, Name: driver.Name}, ID: strconv.Itoa(i),
		Refused: func(err error) { first <- err },
		Launched: func() {
			if !seated {
				seated = true
				first <- nil
				return
			}
			d.did(i, s.began)
		},
	})
	if err != nil {
		return err
	}
	return wait(ctx, first)
}
