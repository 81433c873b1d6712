package gossip

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
)

// Config configures a member.
type Config struct {
	// Bind is where to listen, TCP and UDP (coherer.gossip.port). An empty host is 127.0.0.1, port 0 is any free one.
	Bind rpcenv.Address
	// Retries is how many of the ports after a taken one are tried (spark.port.maxRetries).
	Retries int
	// Join names members, as HOST:PORT, of which at least one has to answer; none: the first of its cluster.
	Join []string
	// Patient lets Join return though nobody answers. The log says so, once, and the member calls on the addresses until somebody does.
	Patient bool
	// Label is the cluster's name, at most 255 bytes: members of different clusters do not hear each other.
	Label string
	// Meta is what this member says of itself.
	Meta Meta
	// Incarnation is that of the Env at Meta.RPC: it distinguishes this run of a daemon from earlier ones at its address.
	Incarnation uint64
	// Keys, if set, gives the cluster's secrets; it is asked now, and again at each upkeep. An error later is logged and
	// changes nothing.
	Keys func() (Keys, error)
	// Upkeep is how often the member calls on addresses where it misses a member, and asks for its keys; 0: each 5 s.
	Upkeep time.Duration
	// Vitals, if set, is asked at the beginning and at each upkeep for what the member says of itself; the others hear what has changed. An
	// error changes nothing.
	Vitals func(context.Context) (Vitals, error)
	// Log gets memberlist's own lines, at debug, and warnings; nil: none.
	Log *logrus.Entry
	// OnChange, if set, is called for each event about another member, one at a time and in order. It must not call Leave
	// or Close.
	OnChange func(Event)

	follows bool                     // it has no cluster until a daemon that it follows says where its gossip is: see Enter
	adjust  func(*memberlist.Config) // a test's; nil: none
}

// name is this member's name.
func (c *Config) name() string {
	at := c.Meta.RPC.String()
	if at == "" {
		at = c.Meta.Role
	}
	return fmt.Sprintf("%s/%016x", at, c.Incarnation)
}

// validate reports all that is wrong with c.
func (c *Config) validate() error {
	var errs []error
	if len(c.Label) > memberlist.LabelMaxSize {
		errs = append(errs, fmt.Errorf("the cluster's name has %d bytes: want at most %d", len(c.Label), memberlist.LabelMaxSize))
	}
	if _, err := encodeMeta(c.Meta); err != nil {
		errs = append(errs, err)
	}
	for _, address := range c.Join {
		if a, err := rpcenv.ParseAddress(address); err != nil {
			errs = append(errs, fmt.Errorf("join: %w", err))
		} else if a.Port == 0 {
			errs = append(errs, fmt.Errorf("join: address %q: want the port of the member's gossip", address))
		}
	}
	return errors.Join(errs...)
}

// settings are those of memberlist, with the Pace of all members.
func (c *Config) settings(ip net.IP) *memberlist.Config {
	s := Pace()
	s.Name = c.name()
	s.Label = c.Label
	s.BindAddr, s.BindPort = ip.String(), c.Bind.Port
	s.AdvertisePort = c.Bind.Port
	s.LogOutput = nil // memberlist refuses a Logger beside it, which Join sets
	if c.adjust != nil {
		c.adjust(s)
	}
	return s
}

// resolve finds the IP address of a host: memberlist takes a name that it cannot parse as an address for every interface.
func resolve(ctx context.Context, host string) (net.IP, error) {
	if host == "" {
		return net.IPv4(127, 0, 0, 1), nil
	}
	ips, err := net.DefaultResolver.LookupIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	// Names such as localhost have both; members of one cluster should pick the same.
	for _, ip := range ips {
		if ip.To4() != nil {
			return ip.To4(), nil
		}
	}
	return ips[0], nil
}
