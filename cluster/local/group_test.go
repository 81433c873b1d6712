package local_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// leaderOf is the Master that was elected last, and in which term.
func leaderOf(c *local.Cluster) (name string, elections int) {
	for _, e := range trace.Merge(c.Recorder().Records()).Entries {
		if e.K == trace.KindMsg && e.Type == "ElectedLeader" && e.Handled {
			name, elections = trace.Peer(e.To), elections+1
		}
	}
	return name, elections
}

// An application goes on when the leader of three Masters is killed at any time, and ends with the right result under
// another.
func TestAnApplicationOutlivesTheLeader(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := local.Start(t, local.Config{Masters: 3, Workers: 2, Seed: seed, Conf: map[string]string{"spark.executor.memory": "512m"}})
			first, _ := leaderOf(c)
			ended := make(chan error, 1)
			var counts []rdd.Pair[int64, int64]
			c.Application("Driver", func(b *rpcenv.Blocking, a *app.App) (err error) {
				for range 3 { // before, while and after nobody leads
					if counts, err = rdd.Collect(context.Background(), a, lastDigits.With(args{200})); err != nil {
						return err
					}
					if err := b.Sleep(2 * time.Second); err != nil {
						return err
					}
				}
				return nil
			}, func(err error) { ended <- err })
			c.Simulated().Advance(time.Duration(seed) * 10 * time.Millisecond)
			if err := c.Kill(first); err != nil {
				t.Fatal(err)
			}
			if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if len(counts) != 10 {
				t.Errorf("wrong result %v", counts)
			}
			if second, n := leaderOf(c); n != 2 || second == first {
				t.Errorf("%s leads after %s, %d elections", second, first, n)
			}
			c.StartMaster(first)
			c.Simulated().Advance(5 * time.Second)
			if _, n := leaderOf(c); n != 2 {
				t.Error("the one that came back disturbs the leader")
			}
		})
	}
}
