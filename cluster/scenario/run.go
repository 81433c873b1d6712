package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace"
)

// runUntil is the World's Run, with the observer's looks.
func (r *Runner) runUntil(cond func() bool, within time.Duration) error {
	return r.world.Run(func() bool {
		r.observer.Tick()
		return cond()
	}, within)
}

// run runs until a message was handled, a process has ended, a program is done, or a connection of a process was refused.
func (r *Runner) run(c syntax.Command) error {
	within, err := time.ParseDuration(c.Option("within", patience.String()))
	if err != nil {
		return err
	}
	happened, err := r.awaited(c)
	if err != nil {
		return err
	}
	if err := r.runUntil(happened, within); err != nil {
		return fmt.Errorf("%w\nwhat happened:\n%s", err, r.forest())
	}
	// A message counts for one run. It is forgotten before Settle, so that what follows counts for the next.
	if c.Option("until", "") != "" {
		r.watcher.forget()
	}
	return r.world.Settle(patience)
}

// awaited is the condition that ends a run.
func (r *Runner) awaited(c syntax.Command) (func() bool, error) {
	if name := c.Option("exit", ""); name != "" {
		return func() bool { _, ended := r.world.Exited(name); return ended }, nil
	}
	if name := c.Option("refused", ""); name != "" {
		return func() bool { return r.watcher.wasRefused(name) }, nil
	}
	if name := c.Option("done", ""); name != "" {
		p := r.programs[name]
		if p == nil {
			return nil, fmt.Errorf("the script submitted no %s", name)
		}
		return func() bool { return closed(p.done) }, nil
	}
	p, err := trace.ParseFilter(c.Option("until", ""))
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(c.Option("n", "1"))
	if err != nil {
		return nil, fmt.Errorf("n: %w", err)
	}
	return func() bool { return r.watcher.count(p) >= n }, nil
}

// settle runs until nothing is under way.
func (r *Runner) settle(syntax.Command) error { return r.world.Settle(patience) }

// errWantsSim: the verb is about virtual time or the simulated network.
var errWantsSim = errors.New("wants worlds=(sim)")

// advance lets virtual time pass.
func (r *Runner) advance(c syntax.Command) error {
	w := r.world.Simulated()
	if w == nil {
		return errWantsSim
	}
	if err := c.Need(1, "DURATION"); err != nil {
		return err
	}
	d, err := time.ParseDuration(c.Args[0])
	if err != nil {
		return err
	}
	if d < 0 {
		return fmt.Errorf("advance %s: time does not go back", c.Args[0])
	}
	return r.advanceTo(w.Now().Add(d))
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
