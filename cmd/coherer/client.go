package main

import (
	"time"

	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/rpcenv"
)

// client is the process of a command that asks daemons: it does not listen, and daemons see it as name. It gives up on a daemon
// that it cannot reach within two seconds.
func client(name string) (*boot.Process, error) {
	return boot.Open(boot.Options{ConnectTimeout: 2 * time.Second}, rpcenv.Config{Name: name})
}
