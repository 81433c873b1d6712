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
		c := call{address, starts}
		if err := m.joinOne(ctx, c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", address, err))
			m.answered(c, err)
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

// joinOne exchanges all that both know with the member at an address. If that is of another cluster the error is an *otherCluster, or this
// member goes over to it.
func (m *Member) joinOne(ctx context.Context, c call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a, err := rpcenv.ParseAddress(c.address)
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
	err = m.exchange(a)
	var other *otherCluster
	if errors.As(err, &other) && m.follow(other, c.why) {
		err = m.exchange(a)
	}
	return err
}

// exchange is one exchange of states with the member at an address.
func (m *Member) exchange(a rpcenv.Address) error {
	m.exchanging.Lock()
	defer m.exchanging.Unlock()
	m.setCalling(a)
	defer m.setCalling(rpcenv.Address{})
	if _, err := m.list.Join([]string{net.JoinHostPort(a.Host, strconv.Itoa(a.Port))}); err != nil {
		if other := otherIn(err); other != nil {
			return other
		}
		// memberlist's error is a list over several lines, here of one.
		var list interface{ WrappedErrors() []error }
		if errors.As(err, &list) && len(list.WrappedErrors()) == 1 {
			err = list.WrappedErrors()[0]
		}
		return explain(err)
	}
	return nil
}

func (m *Member) setCalling(a rpcenv.Address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calling = a
}
