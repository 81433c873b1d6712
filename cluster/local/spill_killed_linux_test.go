package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// slowShares is shares with a pause now and then, so that a task spills for some time.
var slowShares = rdd.Define("local test: slow shares", func(n int64) rdd.Dataset[rdd.Pair[int64, float64]] {
	slow := rdd.Sleep(rdd.Range(1, n, 3), func(x int64) time.Duration {
		if x%500 == 0 {
			return 50 * time.Millisecond
		}
		return 0
	})
	pairs := rdd.Map(slow, func(x int64) rdd.Pair[int64, float64] { return rdd.PairOf(x*x%997, 1/float64(x)) })
	return rdd.ReduceByKey(pairs, func(a, b float64) float64 { return a + b }, 2)
})

// spilling is a process that has a temporary file of a task open, in a directory; 0: none. The file has no name any more.
func spilling(dir string) int {
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		to, err := os.Readlink(link)
		if err == nil && strings.HasPrefix(to, dir+"/") && strings.Contains(to, "/temp_local_") {
			var pid int
			_, _ = fmt.Sscanf(link, "/proc/%d/", &pid)
			return pid
		}
	}
	return 0
}

// An executor gets kill -9 while its task spills: the result is that of a program without a cluster, and when the application has ended
// none of its files is left, neither map outputs nor temporary ones.
func TestAnExecutorThatIsKilledWhileItSpillsLeavesNothing(t *testing.T) {
	want, err := rdd.Collect(t.Context(), rdd.Local(nil), slowShares.With(20_000))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2, Conf: map[string]string{
		"spark.executor.memory": "512m", "spark.shuffle.spill.numElementsForceSpillThreshold": "20", "spark.local.dir": dir,
	}})
	var got []rdd.Pair[int64, float64]
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) (err error) {
		got, err = rdd.Collect(b.Context(), a, slowShares.With(20_000))
		return err
	}, func(err error) { ended <- err })
	pid := 0
	if err := c.Run(func() bool {
		c.Wake() // a file of another process wakes nobody
		pid = spilling(dir)
		return pid != 0 || len(ended) > 0
	}, time.Minute); err != nil || pid == 0 {
		t.Fatal("no executor spills: ", err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
	// The Workers remove what is left when the Master has told them of the application's end.
	var left []string
	if err := c.Run(func() bool {
		c.Wake()
		left = filesUnder(dir)
		return len(left) == 0 && len(c.Executors()) == 0 && spilling(dir) == 0
	}, 20*time.Second); err != nil {
		t.Errorf("%v: %s is left", err, left)
	}
}
