package gossip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/rpcenv"
)

// listen makes the list, at the port of s or, if others have it, at one of the next.
func (m *Member) listen(s *memberlist.Config, retries int) error {
	return rpcenv.NextPorts(s.BindPort, retries, func(port int) error {
		if port != s.BindPort {
			m.warn("Service 'gossip' could not bind on port %d. Attempting port %d.", s.BindPort, port)
		}
		s.BindPort, s.AdvertisePort = port, port
		// memberlist's own error does not say that a port is taken.
		if err := free(s.BindAddr, port); err != nil {
			return err
		}
		var err error
		m.list, err = memberlist.Create(s)
		return err
	})
}

// free is the error of listening at a port, over TCP or UDP; nil when nobody else does.
func free(host string, port int) error {
	at := net.JoinHostPort(host, strconv.Itoa(port))
	stream, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	packets, udp := net.ListenPacket("udp", at)
	if udp == nil {
		udp = packets.Close()
	}
	return errors.Join(udp, stream.Close())
}

// join calls on all addresses; one answer is enough, and without addresses none is wanted.
func (m *Member) join(ctx context.Context, addresses []string) error {
	var errs []error
	joined := len(addresses) == 0
	for _, address := range addresses {
		if err := m.joinOne(ctx, address); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", address, err))
			continue
		}
		joined = true
	}
	if joined {
		return nil
	}
	return fmt.Errorf("gossip: %w: check that a daemon of the cluster %q runs at one of these addresses (its ready line names "+
		"its gossip address) and that TCP and UDP pass:\n%w", ErrNobody, m.label, errors.Join(errs...))
}

// joinOne exchanges all that both know with the member at an address.
func (m *Member) joinOne(ctx context.Context, address string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a, err := rpcenv.ParseAddress(address)
	if err != nil {
		return err
	}
	ip, err := resolve(ctx, a.Host)
	if err != nil {
		return err
	}
	a.Host = ip.String()
	if a == m.addr { // it would answer, and a member that is alone would count as joined
		return errors.New("it is this member's own address")
	}
	if _, err := m.list.Join([]string{net.JoinHostPort(a.Host, strconv.Itoa(a.Port))}); err != nil {
		// memberlist's error is a list over several lines, here of one.
		var list interface{ WrappedErrors() []error }
		if errors.As(err, &list) && len(list.WrappedErrors()) == 1 {
			err = list.WrappedErrors()[0]
		}
		return explain(err)
	}
	return nil
}
