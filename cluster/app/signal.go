package app

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv/conf"
)

// DecommissionSignals has the signals that ask this process to take no more work: the one that a setting names, if
// spark.decommission.enabled is set, else none (nil). A signal that this system does not have is an error.
func DecommissionSignals(c *conf.Conf, setting *conf.Entry[string]) (<-chan os.Signal, error) {
	if !membership.DecommissionEnabled.Get(c) {
		return nil, nil
	}
	name := setting.Get(c)
	sig := unix.SignalNum("SIG" + name)
	if sig == 0 {
		return nil, fmt.Errorf("%s = %s: this system has no signal SIG%s: name another, such as USR2", setting.Key(), name, name)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, sig)
	return signals, nil
}
