package main

import (
	"context"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// spawn is a trial of endpoint-spawn: an actor that stops itself when it has started, until it has stopped.
func spawn(ctx context.Context, t *measure.Trial) error {
	stage := new(theater)
	defer stage.close()
	root := stage.local().Root
	return t.Operate(ctx, func(_ uint64, end func(error)) {
		root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			switch c.Message().(type) {
			case *actor.Started:
				t.Sinks[0].Operation()
				c.Stop(c.Self())
			case *actor.Stopped:
				end(nil)
			}
		}))
	})
}

// connect is a trial of connect: a new ActorSystem with a remote, which has to listen, asks the peer's actor once and is shut down.
func connect(ctx context.Context, t *measure.Trial) error {
	to := actor.NewPID(t.Address, sinkName+"0")
	return t.OperateBlocking(ctx, func(context.Context, uint64) error {
		stage := new(theater)
		defer stage.close()
		_, err := stage.networked().Root.RequestFuture(to, &app.StatusUpdate{}, askTimeout).Result()
		return err
	})
}
