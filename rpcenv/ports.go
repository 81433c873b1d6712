package rpcenv

import (
	"errors"
	"strings"
	"syscall"

	"github.com/coherer/coherer/rpcenv/conf"
)

// NextPorts calls listen with a port, and with the ports after it while they are in use, at most retries more
// (spark.port.maxRetries); with 0, any free port, once. A port in use is an error that wraps syscall.EADDRINUSE; any other
// ends it. It mirrors Utils.startServiceOnPort.
func NextPorts(first, retries int, listen func(port int) error) error {
	const last = 1<<16 - 1
	var err error
	for port := first; port <= min(first+retries, last); port++ {
		if err = listen(port); first == 0 || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	return err
}

// bind begins to listen.
func (e *Env) bind(accept func(Link) Receiver) error {
	at := e.cfg.Listen
	at.Host = unbracketed(at.Host)
	return NextPorts(at.Port, conf.PortMaxRetries.Get(e.cfg.Conf), func(port int) error {
		if port != e.cfg.Listen.Port {
			e.log.Warnf("Service '%s' could not bind on port %d. Attempting port %d.", e.cfg.Name, port-1, port)
		}
		at.Port = port
		var err error
		e.addr, e.listener, err = e.host.Listen(at, accept)
		return err
	})
}

// unbracketed is a host name as an Address has it: users write IPv6 addresses in brackets too.
func unbracketed(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return host
}
