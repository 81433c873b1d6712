package rpcenv_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

func TestNextPorts(t *testing.T) {
	taken := fmt.Errorf("listen: %w", syscall.EADDRINUSE)
	other := errors.New("no such address")
	for _, c := range []struct {
		name           string
		first, retries int
		errs           []error
		tried          []int
		want           error
	}{
		{"free", 7077, 16, []error{nil}, []int{7077}, nil},
		{"the third is free", 7077, 16, []error{taken, taken, nil}, []int{7077, 7078, 7079}, nil},
		{"none is free", 7077, 2, []error{taken, taken, taken}, []int{7077, 7078, 7079}, taken},
		{"another error", 7077, 16, []error{other}, []int{7077}, other},
		{"any", 0, 16, []error{taken}, []int{0}, taken},
		{"the last port", 65535, 16, []error{taken}, []int{65535}, taken},
	} {
		var tried []int
		err := rpcenv.NextPorts(c.first, c.retries, func(port int) error {
			tried = append(tried, port)
			return c.errs[len(tried)-1]
		})
		if !slices.Equal(tried, c.tried) || !errors.Is(err, c.want) {
			t.Errorf("%s: tried %v, %v", c.name, tried, err)
		}
	}
}

// The brackets of an IPv6 address go; a bracket that closes none stays, so that the name is refused as it was written.
func TestAHostIsReadWithoutItsBrackets(t *testing.T) {
	for host, want := range map[string]string{"::1": "::1", "[::1]": "::1", "localhost": "localhost", "::1]": "::1]", "": ""} {
		if got := rpcenv.Unbracketed(host); got != want {
			t.Errorf("%q is read as %q, want %q", host, got, want)
		}
	}
}

// Only a port that is taken or reserved is a matter of the port.
func TestAdviceForListeners(t *testing.T) {
	fails := func(err error) error { return &net.OpError{Op: "listen", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{fails(syscall.EADDRINUSE), "listen tcp: address already in use: name a free port with --port, or 0 for any"},
		{fails(syscall.EACCES), "listen tcp: permission denied: name a free port with --port, or 0 for any"},
		{fails(syscall.EADDRNOTAVAIL), "listen tcp: cannot assign requested address: name an address of this machine with --host"},
		{fails(&net.DNSError{Err: "no such host", Name: "h"}), "listen tcp: lookup h: no such host: name an address of this machine with --host"},
		{errors.New("another"), "another"},
	} {
		if got := rpcenv.ListenAdvice(c.err, "--host", "--port"); !errors.Is(got, c.err) || got.Error() != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
	if err := rpcenv.ListenAdvice(nil, "--host", "--port"); err != nil {
		t.Error(err)
	}
}
