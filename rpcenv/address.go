package rpcenv

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/rpc"
)

// Address is where an Env listens: a host name or IP address and a port. The zero Address is no address: that of
// an Env in client mode. It mirrors org.apache.spark.rpc.RpcAddress.
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

// YARNURL is yarn://host:port: how a ResourceManager or a NodeManager is named to the tools. Neither Spark nor Hadoop has one.
func (a Address) YARNURL() string { return yarnScheme + a.String() }

// yarnScheme is that of a YARNURL.
const yarnScheme = "yarn://"

// Proto is a as it travels inside messages; nil for the zero Address.
func (a Address) Proto() *rpc.Address {
	if a.IsZero() {
		return nil
	}
	return &rpc.Address{Host: a.Host, Port: int32(a.Port)}
}

// AddressOf is the Address in a message; zero for nil.
func AddressOf(p *rpc.Address) Address {
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
	if i := strings.IndexFunc(host, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`/?#@,"'`, r) }); i >= 0 {
		return Address{}, fmt.Errorf("address %q: want HOST:PORT, and %q is in no name of a host", s, host[i])
	}
	return Address{Host: host, Port: int(n)}, nil
}

// ParseAddresses reads host:port[,host:port...]. Blanks around an address do not count, nor does a comma behind the last one.
func ParseAddresses(list string) ([]Address, error) {
	var out []Address
	for part := range strings.SplitSeq(strings.TrimRight(list, ", \t\n"), ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, fmt.Errorf("%q: an address is missing: want HOST:PORT[,HOST:PORT...]", list)
		}
		a, err := ParseAddress(part)
		if err != nil {
			return nil, err
		}
		if a.Port == 0 {
			return nil, fmt.Errorf("address %q: want the port that its daemon listens at", part)
		}
		out = append(out, a)
	}
	return out, nil
}

// ParseMasterURL reads spark://h1:p1[,h2:p2...], the form of spark.master, into the addresses of the Masters, each once. It
// mirrors Utils.parseStandaloneMasterUrls and, for a single address, RpcAddress.fromSparkURL, which refuse a blank.
func ParseMasterURL(s string) ([]Address, error) {
	rest, ok := strings.CutPrefix(s, "spark://")
	if !ok {
		return nil, fmt.Errorf("%w: Invalid master URL: %q: want spark://HOST:PORT[,HOST:PORT...]", ErrInvalidURL, s)
	}
	all, err := ParseAddresses(rest)
	if err != nil {
		return nil, fmt.Errorf("%w: Invalid master URL: %q: want spark://HOST:PORT[,HOST:PORT...]: %w", ErrInvalidURL, s, err)
	}
	var out []Address
	for _, a := range all {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out, nil
}

// IsProcessURL reports whether s names processes of a cluster, well or badly: it begins as a SparkURL or a YARNURL does.
func IsProcessURL(s string) bool {
	return strings.HasPrefix(s, "spark://") || strings.HasPrefix(s, yarnScheme)
}

// ParseProcessURL reads the address of any daemon, spark://h1:p1[,h2:p2...] or yarn://host:port.
func ParseProcessURL(s string) ([]Address, error) {
	if !strings.HasPrefix(s, yarnScheme) {
		return ParseMasterURL(s)
	}
	a, err := ParseYARNURL(s)
	if err != nil {
		return nil, err
	}
	return []Address{a}, nil
}

// ParseYARNURL reads yarn://host:port, or host:port alone, as the address of a ResourceManager is in its settings.
func ParseYARNURL(s string) (Address, error) {
	a, err := ParseAddress(strings.TrimPrefix(s, yarnScheme))
	if err == nil && a.Port == 0 {
		err = fmt.Errorf("address %q has port 0", s)
	}
	if err != nil {
		return Address{}, fmt.Errorf("%w: want yarn://HOST:PORT of the ResourceManager", err)
	}
	return a, nil
}

// ParseURI reads an endpoint's URI, spark://Name@host:port. It wants the scheme spark, a name, a host and a port, and no
// path, query or fragment; anything else is ErrInvalidURL. All of the user-info is the name. It mirrors
// org.apache.spark.rpc.RpcEndpointAddress.
func ParseURI(uri string) (Address, string, error) {
	invalid := func() (Address, string, error) {
		return Address{}, "", fmt.Errorf("%w: Invalid Spark URL: %s: want spark://NAME@HOST:PORT", ErrInvalidURL, uri)
	}
	u, a, err := parseSpark(uri)
	if err != nil || u.Path != "" {
		return invalid()
	}
	name := u.User.Username()
	if more, has := u.User.Password(); has {
		name += ":" + more
	}
	if name == "" {
		return invalid()
	}
	return a, name, nil
}

// ParseFileURI reads the URI of a file that an Env serves, spark://host:port/files/name, into the Env's address and the
// path there, its escapes undone. It wants a path and no name, query or fragment; anything else is ErrInvalidURL. It
// mirrors the checks of NettyRpcEnv.openChannel.
func ParseFileURI(uri string) (Address, string, error) {
	u, a, err := parseSpark(uri)
	if err != nil || u.User != nil || len(u.Path) < 2 || a.Port == 0 {
		return Address{}, "", fmt.Errorf("%w: Invalid file URL: %s: want spark://HOST:PORT/PATH", ErrInvalidURL, uri)
	}
	return a, u.Path, nil
}

// parseSpark reads what endpoints' and files' URIs have in common. Callers replace its error, which does not name the form wanted.
func parseSpark(uri string) (*url.URL, Address, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, Address{}, err
	}
	if u.Scheme != "spark" || u.RawQuery != "" || u.ForceQuery || strings.Contains(uri, "#") {
		return nil, Address{}, ErrInvalidURL
	}
	a, err := ParseAddress(u.Host)
	return u, a, err
}

// AddressOfURL is the host and the port of any URL. It mirrors RpcAddress.fromUrlString.
func AddressOfURL(s string) (Address, error) {
	u, err := url.Parse(s)
	if err != nil {
		return Address{}, fmt.Errorf("%w: %q: %w", ErrInvalidURL, s, err)
	}
	a, err := ParseAddress(u.Host)
	if err != nil {
		return Address{}, fmt.Errorf("%w: %q names no host and port: %w", ErrInvalidURL, s, err)
	}
	return a, nil
}
