package rpcenv

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
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

// ListenAdvice is err with what to do about it, if it is about a place to listen at. The options or settings host and port choose
// the place: only a port that is taken or reserved is a matter of the port.
func ListenAdvice(err error, host, port string) error {
	switch _, network := errors.AsType[*net.OpError](err); {
	case !network:
		return err
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%w: name a free port with %s, or 0 for any", err, port)
	}
	return fmt.Errorf("%w: name an address of this machine with %s", err, host)
}

// unbracketed is a host name as an Address has it: users write IPv6 addresses in brackets too.
func unbracketed(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return host
}
