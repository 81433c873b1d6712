package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/coherer/coherer/rpcenv"
)

var (
	// ErrFrameTooLarge says that a frame, or a message to be sent, is longer than what is allowed.
	ErrFrameTooLarge = errors.New("frame too large")
	// ErrTooMuchUnfinished says that frames of which the rest has not come hold as much memory as they may in all.
	ErrTooMuchUnfinished = errors.New("too much memory in unfinished frames")
	// ErrUnfinished says that a peer began a frame and did not send the rest of it in time.
	ErrUnfinished = errors.New("frame is not complete")
	// ErrMalformedFrame says that bytes are no frame of Spark's, or not one that has a place here.
	ErrMalformedFrame = errors.New("malformed frame")
	// ErrTruncated says that the peer ended a connection within a frame: it died, or was cut off, while it wrote.
	ErrTruncated = errors.New("connection ended within a frame")
	// ErrPeerReset says that the connection broke: the peer's process or machine went away without closing it.
	ErrPeerReset = errors.New("connection reset by peer")
	// ErrClosed says that this side closed the link, or the client.
	ErrClosed = errors.New("link closed by this side")
	// ErrRefused says that nobody listens at an address.
	ErrRefused = errors.New("nobody listens there")
	// ErrIdle says that a peer sent or took nothing for too long.
	ErrIdle = errors.New("peer is silent")
)

// ReadError gives an error of a connection its meaning as one of ours. io.EOF stays io.EOF, and nil nil.
func ReadError(err error) error {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ETIMEDOUT):
		// ETIMEDOUT comes of keepAlive, among others: the peer's machine went away without a word.
		return fmt.Errorf("%w: %w", ErrPeerReset, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: %w", ErrIdle, err)
	}
	return err
}

// dialError says why to could not be reached, and what to do.
func dialError(to rpcenv.Address, err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // without the address, which the text below has anyway
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("connect to %s: %w: start the process first, or check host and port: %w", to, ErrRefused, err)
	case errors.As(err, &dns):
		return fmt.Errorf("connect to %s: the host name is unknown: check its spelling, or use an IP address: %w", to, err)
	}
	return fmt.Errorf("connect to %s: check that the host is up and no firewall is between: %w", to, err)
}

// listenError says why a listener at this address was refused, and what to do.
func listenError(at rpcenv.Address, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("listen at %s: port %d is taken by another process: stop that, or choose another port (0: any free one): %w",
			at, at.Port, err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("listen at %s: port %d is reserved: choose one above 1023: %w", at, at.Port, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("listen at %s: %q is not an address of this machine: %w", at, at.Host, err)
	}
	return fmt.Errorf("listen at %s: %w", at, err)
}
