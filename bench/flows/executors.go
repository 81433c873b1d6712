package flows

import (
	"context"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/bench/flows/watched"
)

func serveExecutors(r *role) error { return serveMaster(r, watched.Running, false) }

// runExecutors has one application with an executor for each Worker, and room for as many again. The peers that take turns are the
// executors that run.
func runExecutors(ctx context.Context, d *drive) error {
	if _, err := d.hire(ctx, func(_ int, w *hollow.Worker) { w.Cores, w.MemoryMB = 2, 2048 }); err != nil {
		return err
	}
	env, err := d.stage.Env("Driver", d.stage.Listen(), nil)
	if err != nil {
		return err
	}
	first := make(chan int, d.spec.Pairs) // those before the trial
	app, err := env.Register(appclient.Name, &hollow.AppClient{
		Master: d.master(), Executors: d.spec.Pairs, Failed: d.fail,
		Running: func(id int32, replaces bool, since time.Duration) {
			if replaces {
				d.did(int(id), since)
			} else {
				first <- int(id)
			}
		},
	})
	if err != nil {
		return err
	}
	d.begin = func(id int, at time.Duration) {
		if err := env.Send(app, hollow.Replace{ID: int32(id), At: at}); err != nil {
			d.end(err)
		}
	}
	for range d.spec.Pairs {
		id, err := d.await(ctx, first)
		if err != nil {
			return err
		}
		d.ready(id)
	}
	return d.trial(ctx)
}
