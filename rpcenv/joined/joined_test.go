package joined_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coherer/coherer/rpcenv/joined"
)

func TestOnlyJoinsAreTakenApart(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, "[]"},
		{a, "[a]"},
		{errors.Join(a), "[a]"},
		{errors.Join(a, nil, errors.Join(b, c)), "[a b c]"},
		{fmt.Errorf("%w of %w", a, b), "[a of b]"},
		{errors.Join(fmt.Errorf("%w of %w", a, b), c), "[a of b c]"},
	} {
		if got := fmt.Sprint(joined.Errors(test.err)); got != test.want {
			t.Errorf("%v: %s, want %s", test.err, got, test.want)
		}
	}
}
