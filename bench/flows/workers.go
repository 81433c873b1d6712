package flows

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/bench/flows/watched"
	"github.com/coherer/coherer/rpcenv"
)

// patientMaster gives up no Worker that is silent.
var patientMaster = map[string]string{"spark.worker.timeout": "86400"}

// serveMaster registers a Master that counts some of its messages as operations, and acknowledges them if their senders get no
// other answer.
func serveMaster(r *role, counts func(rpcenv.Message) bool, acknowledge bool) error {
	_, err := r.env.Register(master.Name, &watched.Master{
		Master: master.New(master.Config{}), Counts: counts, Count: r.count.Operation, Acknowledge: acknowledge,
	})
	return err
}

// master is the Master's endpoint.
func (d *drive) master() rpcenv.Ref { return rpcenv.Ref{Address: d.role, Name: ids.Master} }

// open makes a Worker at an address, in an Env of its own, and waits until it has found the Master.
func (d *drive) open(ctx context.Context, at rpcenv.Address, w *hollow.Worker) (env *rpcenv.Env, ref rpcenv.Ref, err error) {
	found := make(chan error, 1)
	w.Master, w.Found = d.master(), func(err error) { found <- err }
	if env, err = d.stage.Env("Worker", at, nil); err != nil {
		return nil, ref, err
	}
	if ref, err = env.Register(worker.Name, w); err != nil {
		return env, ref, err
	}
	return env, ref, wait(ctx, found)
}

// hand is a registered Worker.
type hand struct {
	env   *rpcenv.Env
	ref   rpcenv.Ref
	id    string
	began time.Duration // its operation
}

// hire brings up as many registered Workers as there are pairs. made completes each before it starts.
func (d *drive) hire(ctx context.Context, made func(i int, w *hollow.Worker)) ([]hand, error) {
	hands := make([]hand, d.spec.Pairs)
	err := together(ctx, len(hands), func(ctx context.Context, i int) (err error) {
		h := &hands[i]
		h.id = fmt.Sprintf("worker-%d", i)
		registered := make(chan error, 1)
		w := &hollow.Worker{ID: h.id, Cores: 1, MemoryMB: 1024, Registered: func(err error) { registered <- err }, Failed: d.fail}
		made(i, w)
		if h.env, h.ref, err = d.open(ctx, d.stage.Listen(), w); err == nil {
			err = h.env.Send(h.ref, hollow.Register{})
		}
		if err == nil {
			err = wait(ctx, registered)
		}
		if err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		return nil
	})
	return hands, err
}

// atOnce is how many peers come up side by side: more would wait for each other, and for the role.
const atOnce = 32

// together calls do for each number below n, some side by side. It returns the first error, when no call runs any more.
func together(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var all sync.WaitGroup
	for range min(atOnce, n) {
		all.Go(func() {
			for i := range numbers {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case numbers <- i:
		case <-ctx.Done():
		}
	}
	close(numbers)
	all.Wait()
	return context.Cause(ctx)
}

// wait is for one result.
func wait(ctx context.Context, result <-chan error) error {
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
