// Package local runs whole clusters for tests and tools: in a simulated World, in this process over memory or TCP, or as processes
// of the operating system.
//
// A [World] is where the processes of a cluster live. The same endpoints run in each: what a test or a script sees of them
// is the trace.
//
// [Processes] start the program of the test again, so that executors know its jobs. Therefore TestMain calls [Main]:
//
//	package squares
//
//	import (
//		"testing"
//		"time"
//
//		"github.com/coherer/coherer/actors/rdd"
//		"github.com/coherer/coherer/cluster/app"
//		"github.com/coherer/coherer/cluster/local"
//		"github.com/coherer/coherer/rpcenv"
//	)
//
//	var squares = rdd.Define("squares", func(n int64) rdd.Dataset[int64] {
//		return rdd.Map(rdd.Range(0, n, 2), func(i int64) int64 { return i * i })
//	})
//
//	func TestMain(m *testing.M) { local.Main(m) }
//
//	func TestSquares(t *testing.T) {
//		c := local.Start(t, local.Config{Kind: local.Processes, Workers: 2})
//		var got []int64
//		ended := make(chan error, 1)
//		c.Application("Squares", func(b *rpcenv.Blocking, a *app.App) (err error) {
//			got, err = rdd.Collect(b.Context(), a, squares.With(4))
//			return err
//		}, func(err error) { ended <- err })
//		if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
//			t.Fatal(err)
//		}
//		if err := <-ended; err != nil || len(got) != 4 || got[3] != 9 {
//			t.Errorf("got %v, error %v", got, err)
//		}
//	}
package local
