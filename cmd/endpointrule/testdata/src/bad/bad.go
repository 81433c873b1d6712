// Package bad does what an endpoint must not do.
package bad

import (
	"context"
	crand "crypto/rand"
	"hash/maphash"
	"io/ioutil"
	"iter"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/rpcenv"
)

type worker struct {
	lock  sync.Mutex   // want `sync\.Mutex in an endpoint: .* no lock is needed`
	count atomic.Int64 // want `atomic\.Int64 in an endpoint`
	ends  chan int     // want `channel in an endpoint: send a message`
	conn  net.Conn     // want `net\.Conn in an endpoint: send messages instead`
	peers map[string]float64
}

func (w *worker) Receive(c *rpcenv.Context, msg any) {
	go w.order(c)      // want `go statement in an endpoint`
	w.ends <- 1        // want `channel`
	<-w.ends           // want `channel`
	for range w.ends { // want `channel`
	}
	select {} // want `channel`
}

func clock() {
	_ = time.Now()                     // want `time\.Now in an endpoint: take time from the Context`
	_ = time.Since(time.Time{})        // want `time\.Since`
	_ = time.Until(time.Time{})        // want `time\.Until`
	_ = time.After(0)                  // want `time\.After`
	_ = time.AfterFunc(0, nil)         // want `time\.AfterFunc`
	_ = time.Tick(0)                   // want `time\.Tick`
	_ = time.NewTimer(0)               // want `time\.NewTimer`
	_ = time.NewTicker(0)              // want `time\.NewTicker`
	time.Sleep(time.Second)            // want `time\.Sleep`
	_, _ = context.WithTimeout(nil, 0) // want `context\.WithTimeout`
}

func chance() {
	_ = rand.IntN(3)                 // want `rand\.IntN in an endpoint: take randomness from the Context`
	var r *rand.Rand = rand.New(nil) // want `rand\.New `
	_ = r
	_, _ = crand.Read(nil) // want `rand\.Read`
	_ = maphash.MakeSeed() // want `maphash\.MakeSeed`
}

func world() {
	_ = os.Getenv("HOME") // want `os\.Getenv in an endpoint: let the caller supply`
	runtime.Gosched()     // want `runtime\.Gosched`
	debug.FreeOSMemory()  // want `debug\.FreeOSMemory`
	_, _ = user.Current() // want `user\.Current`
	_, _ = http.Get("")   // want `http\.Get`

	_, _ = ioutil.ReadFile("")   // want `ioutil\.ReadFile`
	_, _ = filepath.Glob("*")    // want `filepath\.Glob`
	_ = filepath.Join("a", "b")  // a matter of names
	_ = time.Time{}.In(time.UTC) // of no machine
	_ = time.Time{}.Local()      // want `Time\.Local in an endpoint: the zone`
	_ = time.Local               // want `time\.Local`
}

func hidden(m map[string]int) {
	iter.Pull(maps.Keys(m))                      // want `iter\.Pull` `order of a map`
	_ = reflect.ValueOf(m).MapKeys()             // want `Value\.MapKeys in an endpoint: its order`
	_ = reflect.ValueOf(m).MapRange()            // want `Value\.MapRange`
	_ = reflect.ValueOf(m).Len()                 // no order
	_, _, _ = reflect.Select(nil)                // want `reflect\.Select`
	_ = reflect.MakeChan(reflect.TypeOf(m), 100) // want `reflect\.MakeChan`
}

func (w *worker) order(c *rpcenv.Context) (names []string, sum float64) {
	for name := range w.peers { // want `the order of a map can be seen here`
		c.Send(name)
	}
	for name := range w.peers { // want `order of a map`
		names = append(names, name)
	}
	for _, f := range w.peers { // want `order of a map`
		sum += f
	}
	for name := range w.peers { // want `order of a map`
		if !c.Send(name) {
			continue
		}
	}
	for range maps.Values(w.peers) { // want `order of a map`
		break
	}
	names = slices.Collect(maps.Keys(w.peers)) // want `order of a map`
	return names, sum
}

func firstThree[M ~map[string]int](m M) (out []string) {
	for name := range m { // want `order of a map`
		if len(out) < 3 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func numbered(m map[string]int) map[string]int {
	n, out := 0, map[string]int{}
	for name := range m { // want `order of a map`
		n++
		out[name] = n
	}
	for name := range m { // want `order of a map`
		out["last"] = len(name)
	}
	return out
}

func whether(m map[string]int) string {
	for _, n := range m { // want `order of a map`
		if n == 1 {
			return "one"
		}
		if n == 2 {
			return "two"
		}
	}
	for range m { // want `order of a map`
		m[""]++
		return ""
	}
	for name := range m { // want `order of a map`
		return name
	}
	return ""
}
