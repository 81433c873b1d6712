package local_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// seeds is how many the test runs; a longer sweep is for a machine that has the time.
const seeds = 60

// TestSeedsOfAnApplication runs a job of two stages on three Workers for many seeds, in most of which a process is killed
// at a random moment: an executor, or a Worker and so its executors. The result is right each time. The hash of each trace
// is logged: it is the same in every process.
func TestSeedsOfAnApplication(t *testing.T) {
	killed := 0
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if runSeed(t, seed) {
				killed++
			}
		})
	}
	if killed < seeds/3 {
		t.Errorf("only %d of %d seeds killed a process: the test shows little", killed, seeds)
	}
}

func runSeed(t *testing.T, seed uint64) (killed bool) {
	c := local.Start(t, local.Config{Workers: 3, Seed: seed, Conf: map[string]string{"spark.executor.memory": "512m"}})
	rnd := rand.New(rand.NewPCG(seed, 1))
	ended := make(chan error, 1)
	var counts []rdd.Pair[int64, int64]
	c.Application("Driver", func(_ *rpcenv.Blocking, a *app.App) (err error) {
		counts, err = rdd.Collect(context.Background(), a, lastDigits.With(args{200}))
		return err
	}, func(err error) { ended <- err })
	victims := []string{"Exec0", "Exec1", "Exec2", "Worker1", "Worker2", "-"}
	victim := victims[rnd.IntN(len(victims))]
	c.Simulated().Advance(time.Duration(rnd.Int64N(int64(40 * time.Millisecond))))
	if victim != "-" {
		killed = c.Kill(victim) == nil
	}
	if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
		t.Fatalf("%s killed: %v", victim, err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%s killed: %v", victim, err)
	}
	sum := int64(0)
	for _, p := range counts {
		sum += p.Value
	}
	if len(counts) != 10 || sum != 200 {
		t.Errorf("%s killed: wrong result %v", victim, counts)
	}
	hash := sha256.New()
	merged := trace.Merge(c.Recorder().Records())
	merged.Source, merged.Seed = "sim", seed
	if err := merged.WriteJSONL(hash); err != nil {
		t.Fatal(err)
	}
	t.Logf("hash application/%d %x", seed, hash.Sum(nil))
	return killed
}
