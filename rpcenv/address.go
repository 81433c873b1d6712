package rpcenv

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/rpc"
)

// Address is where an Env listens: a host name or IP address and a port. The zero Address means that there is none, as
// for an Env in client mode. It mirrors org.apache.spark.rpc.RpcAddress.
type Address struct {
	Host string
	Port int
}

// IsZero reports whether a names no place.
func (a Address) IsZero() bool { return a == Address{} }

// String is host:port, an IPv6 host in brackets; "" for the zero Address.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	return net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
}

// SparkURL is spark://host:port.
func (a Address) SparkURL() string { return "spark://" + a.String() }

// Proto is a as it travels inside messages; nil for the zero Address.
func (a Address) Proto() *rpc.Address {
	if a.IsZero() {
		return nil
	}
	return &rpc.Address{Host: a.Host, Port: int32(a.Port)}
}

// AddressOf is the Address in a message; zero for nil.
func AddressOf(p *rpc.Address) Address {
	if p == nil {
		return Address{}
	}
	return Address{Host: p.GetHost(), Port: int(p.GetPort())}
}

// ParseAddress reads host:port.
func ParseAddress(s string) (Address, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return Address{}, fmt.Errorf("address %q: want HOST:PORT: %w", s, err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" {
		return Address{}, fmt.Errorf("address %q: want HOST:PORT with a port from 0 to 65535", s)
	}
	return Address{Host: host, Port: int(n)}, nil
}

// ParseMasterURL reads spark://h1:p1[,h2:p2...], the form of spark.master, into the addresses of the Masters.
func ParseMasterURL(s string) ([]Address, error) {
	rest, ok := strings.CutPrefix(s, "spark://")
	if !ok {
		return nil, fmt.Errorf("%w: Invalid master URL: %q: want spark://HOST:PORT[,HOST:PORT...]", ErrInvalidURL, s)
	}
	var out []Address
	for part := range strings.SplitSeq(rest, ",") {
		a, err := ParseAddress(part)
		if err != nil || strings.ContainsAny(part, "/?#@") || a.Port == 0 {
			return nil, fmt.Errorf("%w: Invalid master URL: %q: want spark://HOST:PORT[,HOST:PORT...]", ErrInvalidURL, s)
		}
		out = append(out, a)
	}
	return out, nil
}

// ParseURI reads an endpoint's URI, spark://Name@host:port. It wants the scheme spark, a name, a host and a port, and no
// path, query or fragment; anything else is ErrInvalidURL. It mirrors org.apache.spark.rpc.RpcEndpointAddress.
func ParseURI(uri string) (Address, string, error) {
	invalid := func() (Address, string, error) {
		return Address{}, "", fmt.Errorf("%w: Invalid Spark URL: %q: want spark://NAME@HOST:PORT", ErrInvalidURL, uri)
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "spark" || u.User == nil || u.User.Username() == "" ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(uri, "#") {
		return invalid()
	}
	if _, has := u.User.Password(); has {
		return invalid()
	}
	a, err := ParseAddress(u.Host)
	if err != nil {
		return invalid()
	}
	return a, u.User.Username(), nil
}
