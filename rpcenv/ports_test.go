package rpcenv_test

import (
	"errors"
	"fmt"
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
