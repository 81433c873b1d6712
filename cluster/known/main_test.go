package known

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/conf"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mustNew makes a Conf of keys and values in turn.
func mustNew(t testing.TB, keysAndValues ...string) *conf.Conf {
	t.Helper()
	pairs := make(map[string]string)
	for i := 0; i < len(keysAndValues); i += 2 {
		pairs[keysAndValues[i]] = keysAndValues[i+1]
	}
	c, err := conf.New(pairs, All())
	if err != nil {
		t.Fatal(err)
	}
	return c
}
