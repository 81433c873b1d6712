package main

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// client is the Env of a command that asks daemons: it does not listen, and daemons see it as name. It gives up on a daemon that
// it cannot reach within two seconds. end closes it.
func client(name string) (env *rpcenv.Env, end func(), err error) {
	host := transport.New(transport.Options{ConnectTimeout: 2 * time.Second})
	env, err = rpcenv.New(host, rpcenv.Config{Name: name})
	if err != nil {
		host.Close()
		return nil, nil, err
	}
	return env, func() {
		env.Close()
		host.Close()
	}, nil
}
