package rmproxy_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv"
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
