package gossip

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// All members of a small cluster call on the address of one that failed, and about Callers of a large one.
func TestFewOfManyCallOnALostAddress(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ members, least, most int }{
		{Callers, 2000, 2000},
		{25 * Callers, 30, 150}, // 80 in the mean, give or take 9
	} {
		m := keeper("me", &now)
		for i := range c.members - 1 {
			m.books.put(member(fmt.Sprint(i), 1))
		}
		m.lose(rpcenv.Address{Host: "127.0.0.1", Port: 8})
		calls := 0
		for range 2000 {
			calls += len(m.missing())
		}
		if calls < c.least || calls > c.most {
			t.Errorf("of %d members: %d calls in 2000 rounds, want %d to %d", c.members, calls, c.least, c.most)
		}
	}
}
