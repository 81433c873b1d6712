package transport

import (
	"errors"
	"syscall"
)

// NextPorts calls listen with a port, and with the ports after it while they are in use, at most retries more
// (spark.port.maxRetries); with 0, any free port, once. Any other error ends it. It mirrors Utils.startServiceOnPort.
func NextPorts(first, retries int, listen func(port int) error) error {
	const last = 1<<16 - 1
	var err error
	for port := first; port <= min(first+retries, last); port++ {
		if err = listen(port); err == nil || first == 0 || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
	}
	return err
}
