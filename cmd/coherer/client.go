package main

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// client is what a command asks daemons with: an Env that does not listen, called name at them. A daemon that cannot be reached is
// given up after two seconds. end closes it.
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
