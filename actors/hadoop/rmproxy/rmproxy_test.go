package rmproxy_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestWhatMayYetBeAnswered(t *testing.T) {
	for err, want := range map[error]bool{
		nil:                            false,
		errors.New("x"):                false,
		rpcenv.ErrUnreachable:          true,
		rpcenv.ErrRefusedNotFound:      true,
		exceptions.Retriable:           true,
		exceptions.ApplicationNotFound: false,
		exceptions.InvalidToken:        false,
	} {
		wrapped := err
		if err != nil {
			wrapped = fmt.Errorf("ask: %w", err)
		}
		if got := rmproxy.Passing(wrapped); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}

// The address of the ResourceManager, as the settings say it: what it listens at is no address to dial, and a host alone means Hadoop's port.
func TestWhereTheResourceManagerIs(t *testing.T) {
	const address, host = "yarn.resourcemanager.address", "yarn.resourcemanager.hostname"
	for _, c := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{host: "rm1"}, "rm1:8032"},
		{map[string]string{address: "rm2:99", host: "rm1"}, "rm2:99"},
		{map[string]string{address: "rm2"}, "rm2:8032"},
		{map[string]string{address: "0.0.0.0:99"}, "127.0.0.1:99"},
	} {
		settings, err := conf.New(c.set)
		if err != nil {
			t.Fatal(err)
		}
		if got := rmproxy.ResourceManagerAt(settings); got != c.want {
			t.Errorf("%v: %s, want %s", c.set, got, c.want)
		}
	}
}
