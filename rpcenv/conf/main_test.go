package conf

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mustNew makes a Conf of keys and values in turn.
func mustNew(t testing.TB, keysAndValues ...string) *Conf {
	t.Helper()
	pairs := make(map[string]string)
	for i := 0; i < len(keysAndValues); i += 2 {
		pairs[keysAndValues[i]] = keysAndValues[i+1]
	}
	c, err := New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
