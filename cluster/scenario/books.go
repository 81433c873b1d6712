package scenario

import (
	"fmt"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// books prints a Master's books: NAME. Its Workers, its applications with their executors, its drivers.
func (r *Runner) books(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	w := r.world.Simulated()
	switch {
	case w == nil: // elsewhere the Master's goroutine may be writing in its books
		return errWantsSim
	case n.Master == nil:
		return fmt.Errorf("%s is no Master", n.name)
	case !r.runs(n):
		return fmt.Errorf("%s has ended", n.name)
	}
	r.names.learn(r.Trace().Entries)
	s := n.Master.State(n.Env.Address(), w.Now())
	fmt.Fprintf(&r.out, "%s is %s\n", n.name, s.GetStatus())
	for _, x := range s.GetWorkers() {
		fmt.Fprintf(&r.out, "  worker %s %s: %d of %d cores, %d of %d MiB\n", r.names.substitute(x.GetId()), x.GetState(),
			x.GetCoresUsed(), x.GetCores(), x.GetMemoryUsed(), x.GetMemory())
	}
	for _, apps := range [][]*deploy.ApplicationInfo{s.GetActiveApps(), s.GetCompletedApps()} {
		for _, a := range apps {
			fmt.Fprintf(&r.out, "  app %s %s: %d cores\n", r.names.substitute(a.GetId()), a.GetState(), a.GetCoresGranted())
			for _, e := range a.GetExecutors() {
				fmt.Fprintf(&r.out, "    executor %d %s on %s: %d cores, %d MiB\n", e.GetId(), e.GetState(),
					r.names.substitute(e.GetWorkerId()), e.GetCores(), e.GetMemory())
			}
		}
	}
	for _, d := range s.GetActiveDrivers() {
		fmt.Fprintf(&r.out, "  driver %s\n", d.GetState())
	}
	return nil
}

// why asks a Master why an application waits, and prints its answer: APP [master=M].
func (r *Runner) why(c syntax.Command) error {
	if err := c.Need(1, "APP [master=M]"); err != nil {
		return err
	}
	m, err := r.find(c.Option("master", "M"))
	if err != nil {
		return err
	}
	r.names.learn(r.Trace().Entries)
	id, ok := r.names.id("$" + c.Args[0])
	if !ok {
		return fmt.Errorf("no application is called %s", c.Args[0])
	}
	var answer *deploy.Refusals
	done := make(chan struct{})
	// Asked from the Master's own Env, so that the question makes no connection of its own in the trace.
	m.Env.Go("why", func(b *rpcenv.Blocking) (err error) {
		answer, err = rpcenv.AskWait(b, m.Ref, &deploy.RequestRefusals{AppId: id})
		return err
	}).OnDone(func(e error) {
		err = e
		close(done)
		r.world.Wake()
	})
	if e := r.world.Run(func() bool { return closed(done) }, patience); e != nil || err != nil {
		return fmt.Errorf("ask why: %w", firstOf(err, e))
	}
	for _, x := range append(answer.GetApplication(), answer.GetWorkers()...) {
		line := fmt.Sprintf("%s %s: %s; %s", x.GetFilter(), x.GetWorkerId(), x.GetReason(), x.GetHelp())
		r.out.WriteString(r.names.substitute(line) + "\n")
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
