package scenario

import (
	"strings"

	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// fault causes a fault in the simulation, which the line describes.
func (r *Runner) fault(c syntax.Command) error {
	w := r.world.Simulated()
	if w == nil {
		return errWantsSim
	}
	words := append([]string{c.Verb}, c.Args...)
	for _, o := range c.Options {
		words = append(words, o.Key+"="+o.Value)
	}
	f, err := fault.Parse(strings.Join(words, " "))
	if err != nil {
		return err
	}
	r.observer.Disturb() // also for a fault's end: what it kept from happening has its deadline from now
	return w.Apply(f)
}

// restart ends a daemon as kill -9 does, if it runs, and starts it as it was started: at its address, as a new process.
func (r *Runner) restart(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	if r.runs(n) {
		if err := r.world.Kill(n.name); err != nil {
			return err
		}
	}
	return r.start(n.began)
}
