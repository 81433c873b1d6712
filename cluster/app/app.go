package app

import (
	"context"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// App is an application that is running: what actions of package rdd run on. It mirrors org.apache.spark.SparkContext.
type App struct {
	driver   *driver.Driver
	blocking func(context.Context) *rpcenv.Blocking
}

var (
	_ rdd.Runner      = (*App)(nil)
	_ rdd.Rounds      = (*App)(nil)
	_ rdd.Unpersister = (*App)(nil)
	_ rdd.Broadcaster = (*App)(nil)
)

// On is the App of a driver whose program is a body of Env.Go, as in a simulation. There the end of a context that is not the
// body's own ends nothing, since no goroutine may watch it; another body can cancel jobs.
func On(d *driver.Driver, b *rpcenv.Blocking) *App {
	host, hooked := d.Env().Host().(rpcenv.Hooked)
	simulated := hooked && host.Hooks().Turn != nil
	return &App{driver: d, blocking: func(ctx context.Context) *rpcenv.Blocking {
		if simulated || ctx.Done() == nil || ctx == b.Context() {
			return b
		}
		return d.Env().Blocking(ctx)
	}}
}

// In is the application for another body of the same driver: bodies of a simulation wait each by itself.
func (a *App) In(b *rpcenv.Blocking) *App { return On(a.driver, b) }

// Conf is the application's settings.
func (a *App) Conf() *conf.Conf { return a.driver.Env().Conf() }

// RunJob runs a job and waits for its results, in the order of the partitions. It fails with the job's error, or with the cause of
// ctx when that ends first: then the job is cancelled, and its tasks are killed.
func (a *App) RunJob(ctx context.Context, job rdd.Invocation, action rdd.Action) ([]rdd.Result, error) {
	b := a.blocking(ctx)
	defer b.Close()
	results, err := a.driver.RunJob(b, job, action)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return results, err
}

// Partitions is the number of partitions of a job's result, by its files as they are now.
func (a *App) Partitions(_ context.Context, job rdd.Invocation) (int, error) {
	return a.driver.Partitions(job)
}

// TakeRounds are spark.rdd.limit.initialNumPartitions and spark.rdd.limit.scaleUpFactor, for rdd.Take.
func (a *App) TakeRounds() (first, scaleUp int) { return a.driver.TakeRounds() }

// Unpersist ends the keeping of persisted datasets (rdd.Unpersist). It fails with the cause of ctx when that ends first.
func (a *App) Unpersist(ctx context.Context, keys []string) error {
	b := a.blocking(ctx)
	defer b.Close()
	err := a.driver.Unpersist(b, keys)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Broadcast keeps an encoded value for the executors (rdd.NewBroadcast). It fails with the cause of ctx when that ends first.
func (a *App) Broadcast(ctx context.Context, encoded []byte) (rdd.BroadcastInfo, error) {
	b := a.blocking(ctx)
	defer b.Close()
	info, err := a.driver.Broadcast(b, encoded)
	if err != nil && ctx.Err() != nil {
		return info, context.Cause(ctx)
	}
	return info, err
}

// Unbroadcast makes the executors give up a broadcast (rdd.Broadcast.Unpersist), and the driver too where destroyed says that the program
// called Destroy there. It fails with the cause of ctx when that ends first.
func (a *App) Unbroadcast(ctx context.Context, id int64, destroyed string) error {
	b := a.blocking(ctx)
	defer b.Close()
	err := a.driver.Unbroadcast(b, id, destroyed)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Pause waits for d, in the time of the application's Env. It fails when ctx ends first.
func (a *App) Pause(ctx context.Context, d time.Duration) error {
	b := a.blocking(ctx)
	defer b.Close()
	err := b.Sleep(d)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
