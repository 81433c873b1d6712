package app

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestAnExecutorsHeapIsLimited(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	c, err := conf.New(map[string]string{"spark.executor.memory": "3g"}, known.All())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	if limitHeap(c); debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Error("GOMEMLIMIT of the environment was overruled")
	}
	t.Setenv("GOMEMLIMIT", "")
	if limitHeap(c); debug.SetMemoryLimit(-1) != 3<<30-64<<20 {
		t.Errorf("the limit is %d", debug.SetMemoryLimit(-1))
	}
}
