package bench

import (
	"context"
	"fmt"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// spawn is a trial of endpoint-spawn: the whole life of an endpoint, from Register to the end of OnStop. Each has a name of its
// own, since that of one that stops is free only when it is gone.
func spawn(ctx context.Context, s *stage.Stage, t *measure.Trial) error {
	e, err := s.Env("Spawner", rpcenv.Address{}, nil)
	if err != nil {
		return err
	}
	return t.Operate(ctx, func(n uint64, end func(error)) {
		spawned := &endpoints.Spawned{Count: t.Sinks[0], Ended: func() { end(nil) }}
		if _, err := e.Register(fmt.Sprint("Spawned", n), spawned); err != nil {
			end(err)
		}
	})
}

// connect is a trial of connect: a new Env in client mode asks the peer's endpoint once, and is closed. Nothing but the Host is
// shared with other Envs.
func connect(ctx context.Context, s *stage.Stage, t *measure.Trial) error {
	to, err := rpcenv.ParseAddress(t.Address)
	if err != nil {
		return err
	}
	ref := rpcenv.Ref{Address: to, Name: endpoints.SinkOf(t.Spec, 0)}
	return t.OperateBlocking(ctx, func(ctx context.Context, _ uint64) error {
		e, err := s.Env("Client", rpcenv.Address{}, nil)
		if err != nil {
			return err
		}
		b := e.Blocking(ctx)
		_, err = rpcenv.AskWaitAs[*app.StatusUpdate](b, ref, &app.StatusUpdate{})
		b.Close()
		e.Close()
		return err
	})
}
