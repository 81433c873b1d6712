package bench

import (
	"context"
	"fmt"

	"github.com/coherer/coherer/bench/measure"
)

// run runs one trial in processes of its own and returns both sides of it.
func (r *runner) run(ctx context.Context, p program, spec *measure.Spec) (*measure.Result, error) {
	sender, _, err := r.start(ctx, p, spec.Contender+", sender")
	if err != nil {
		return nil, err
	}
	defer sender.close()
	cmd := measure.RunCommand{Spec: *spec}
	if !spec.Case.Remote() {
		a, err := sender.call(ctx, measure.Command{Run: &cmd})
		if err != nil {
			return nil, err
		}
		return a.Result, nil
	}
	receiver, err := r.receiver(ctx, p, spec.Contender)
	if err != nil {
		return nil, err
	}
	defer receiver.close()
	served := *spec
	if r.peer != nil {
		served.Host, cmd.Spec.Host = r.peer.far, r.peer.near
	}
	a, err := receiver.call(ctx, measure.Command{Serve: &served})
	if err != nil {
		return nil, err
	}
	if a.Serving == nil {
		return nil, fmt.Errorf("%s: the receiver does not say where it serves", spec.Contender)
	}
	cmd.Address, cmd.Marks = a.Serving.Address, a.Serving.Marks
	sent, err := r.race(ctx, sender, receiver, measure.Command{Run: &cmd})
	if err != nil {
		return nil, err
	}
	// After the sender's result: its last acknowledgement says that the receiver has closed the batch.
	counted, err := receiver.call(ctx, measure.Command{Report: true})
	if err != nil {
		return nil, err
	}
	if sent.Result != nil {
		sent.Result.Received = counted.Report
	}
	return sent.Result, nil
}

// receiver starts the receiving side: here, or at the other machine.
func (r *runner) receiver(ctx context.Context, p program, contender string) (*child, error) {
	role := contender + ", receiver"
	if r.peer != nil {
		return r.peer.start(ctx, contender, role)
	}
	c, _, err := r.start(ctx, p, role)
	return c, err
}

// race is a call of one process that fails at once when the other one ends: the call would never have an answer.
func (*runner) race(ctx context.Context, c, other *child, cmd measure.Command) (*measure.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type end struct {
		a   *measure.Answer
		err error
	}
	called := make(chan end, 1)
	go func() {
		a, err := c.call(ctx, cmd)
		called <- end{a, err}
	}()
	select {
	case e := <-called:
		return e.a, e.err
	case exit := <-other.ended:
		other.ended <- exit // put back: close waits for it too
		cancel()
		<-called
		return nil, fmt.Errorf("%s: %s", other.role, exit)
	}
}
