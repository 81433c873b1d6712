package local_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// pointArgs name a file of points, and the level at which they are kept. Salt tells the datasets of several rounds apart.
type pointArgs struct {
	Path  string
	Level rdd.StorageLevel
	Salt  int
}

var (
	cachedPoints = rdd.Define("local test: cached points", func(a pointArgs) rdd.Dataset[[]float64] {
		return rdd.Persist(rdd.Map(rdd.TextFile(a.Path, 8), parsePoint), a.Level)
	})
	pointSums = rdd.Define("local test: sums of points", func(of rdd.Bound[[]float64]) rdd.Dataset[float64] {
		return rdd.Map(rdd.From(of), func(p []float64) float64 { return p[0] + p[1] + p[2] })
	})
)

func parsePoint(line string) (p []float64) {
	for field := range strings.FieldsSeq(line) {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			panic(err)
		}
		p = append(p, x)
	}
	return p
}

// BenchmarkCachedPass is two jobs over a million points of three numbers each, on two executors of one core. The first one reads and parses
// the text, and keeps the points; the second one reads what is kept. times-faster is how many times as long the first one takes.
func BenchmarkCachedPass(b *testing.B) {
	var text bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "%d.25 %d.5 %d.125\n", i%977, i%4999, i)
	}
	path := filepath.Join(b.TempDir(), "points.txt")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, level := range []rdd.StorageLevel{rdd.MemoryOnly, rdd.MemoryOnlySer} {
		b.Run("world=processes/level="+level.String(), func(b *testing.B) {
			c := local.Start(b, local.Config{Kind: local.Processes, Workers: 2, Cores: 1, Conf: map[string]string{
				"spark.executor.memory": "1g", "spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1",
			}})
			ended := make(chan error, 1)
			c.Application("A", func(body *rpcenv.Blocking, a *app.App) error {
				return cachedPasses(b, body, a, pointArgs{path, level, 0})
			}, func(err error) { ended <- err })
			if err := c.Run(func() bool { return len(ended) > 0 }, 10*time.Minute); err != nil {
				b.Fatal(err)
			}
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
		})
	}
}

func cachedPasses(b *testing.B, body *rpcenv.Blocking, a *app.App, args pointArgs) error {
	var passes [2]time.Duration
	for b.Loop() {
		args.Salt++
		points := cachedPoints.With(args)
		for i := range passes {
			began := time.Now()
			n, err := rdd.Count(body.Context(), a, pointSums.With(points))
			if err != nil || n != 1_000_000 {
				return fmt.Errorf("%d points, error %w", n, err)
			}
			passes[i] += time.Since(began)
		}
		if err := rdd.Unpersist(body.Context(), a, points); err != nil {
			return err
		}
	}
	b.ReportMetric(passes[0].Seconds()*1000/float64(b.N), "ms-first")
	b.ReportMetric(passes[1].Seconds()*1000/float64(b.N), "ms-second")
	b.ReportMetric(float64(passes[0])/float64(passes[1]), "times-faster")
	return nil
}
