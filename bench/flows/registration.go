package flows

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/coherer/coherer/bench/flows/hollow"
	"github.com/coherer/coherer/bench/flows/watched"
	"github.com/coherer/coherer/rpcenv"
)

func serveRegistrations(r *role) error { return serveMaster(r, watched.Registration, false) }

// spareWorkers is how many Workers each operation in flight has beyond the registered ones: one registers while another comes up.
const spareWorkers = 2

// portTries is how many other ports a Worker tries. Thousands of Workers leave few ports free, and some of those have only just been left.
const portTries = 5

// registrations are the Workers of register-worker, by number. Each number is an address at which a new Worker follows the one
// before. The channels have room for all Workers, so no send waits.
type registrations struct {
	*drive
	workers []newcomer
	// leaving Workers make room for new ones; up are the Workers that have come up before the trial; registered ones are in the Master's
	// books, the oldest first.
	leaving, up, registered chan int
	begun                   bool // the trial
}

// newcomer is a Worker; a new one each time at its address.
type newcomer struct {
	env  *rpcenv.Env
	ref  rpcenv.Ref
	life int
	came time.Duration // the beginning of its registration
}

func runRegistrations(ctx context.Context, d *drive) (err error) {
	r := newRegistrations(d)
	defer r.start(ctx)()
	if err := r.fill(ctx); err != nil {
		return err
	}
	return d.trial(ctx)
}

func newRegistrations(d *drive) *registrations {
	n := d.spec.Pairs + spareWorkers*d.spec.InFlight
	r := &registrations{
		drive: d, workers: make([]newcomer, n), leaving: make(chan int, n), up: make(chan int, n), registered: make(chan int, n),
	}
	d.begin = r.register
	return r
}

// start begins the coming and going. stop ends it, before the Stage closes: no Env may be made meanwhile.
func (r *registrations) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { r.renew(ctx) })
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// fill brings all Workers up, and registers as many as there are pairs.
func (r *registrations) fill(ctx context.Context) error {
	for i := range r.workers {
		r.leaving <- i
	}
	for range r.workers {
		if _, err := r.await(ctx, r.up); err != nil {
			return err
		}
	}
	for i := range r.spec.Pairs {
		r.register(i, 0)
	}
	for range r.spec.Pairs {
		if _, err := r.await(ctx, r.up); err != nil {
			return err
		}
	}
	r.begun = true
	for i := r.spec.Pairs; i < len(r.workers); i++ {
		r.ready(i)
	}
	return nil
}

// register is an operation.
func (r *registrations) register(i int, at time.Duration) {
	w := &r.workers[i]
	w.came = at
	if err := w.env.Send(w.ref, hollow.Register{}); err != nil {
		r.end(fmt.Errorf("worker %d: %w", i, err))
	}
}

// came hears that a Worker was registered.
func (r *registrations) came(i int, err error) {
	if err != nil {
		r.fail(fmt.Errorf("worker %d: %w", i, err))
		return
	}
	r.registered <- i
	if !r.begun {
		r.up <- i
		return
	}
	r.leaving <- <-r.registered // the oldest leaves only now, so the Master never has fewer than there are pairs
	r.done(r.workers[i].came)
}

// renew replaces Workers that leave by new ones that have found the Master.
func (r *registrations) renew(ctx context.Context) {
	for {
		select {
		case i := <-r.leaving:
			if err := r.comeUp(ctx, i); err != nil {
				r.fail(err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// comeUp ends Worker i, if there is one, and makes its successor, which then can register.
func (r *registrations) comeUp(ctx context.Context, i int) (err error) {
	w, at := &r.workers[i], r.stage.Listen()
	if w.env != nil {
		w.env.Close()
		at = w.env.Address() // the Master forgets the dead Worker of an address when another one comes from there
	}
	w.life++
	next := &hollow.Worker{
		ID: fmt.Sprintf("worker-%d-%d", i, w.life), Cores: 1, MemoryMB: 1024, Registered: func(err error) { r.came(i, err) },
	}
	w.env, w.ref, err = r.open(ctx, at, next)
	for tries := 0; err != nil && tries < portTries; tries++ {
		switch {
		case errors.Is(err, syscall.EADDRINUSE): // a connection has got the port meanwhile
		case errors.Is(err, rpcenv.ErrHandshake): // it is the port of a Worker that is just leaving, and still answers for it
			w.env.Close()
		default:
			return fmt.Errorf("worker %d: %w", i, err)
		}
		w.env, w.ref, err = r.open(ctx, r.stage.Listen(), next)
	}
	if err != nil {
		return fmt.Errorf("worker %d: %w", i, err)
	}
	if r.begun {
		r.ready(i)
	} else {
		r.up <- i
	}
	return nil
}
