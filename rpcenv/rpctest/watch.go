package rpctest

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// A World is run by one goroutine at a time. It is one of the World's own, and the test's waits for it: so a callback that
// blocks can be given up, and the test fails where it ran the World, as any failing test does; those after it go on. The
// test's own goroutine could not be freed. What happens in the World is the same: nothing runs beside that goroutine.

const (
	// defaultLimit is the CallbackLimit of a World that sets none.
	defaultLimit = 5 * time.Second
	// looks is how often within the limit do looks whether the world has moved. A process that was halted looks once when it
	// goes on.
	looks = 50
	// waitLooks is in how many looks in a row a callback may wait: a lock may be held by a goroutine for which the machine
	// has no time. The goroutine's state distinguishes waiting from slowness: on a loaded machine it is runnable.
	waitLooks = 10
)

// watch knows what the World does. Its lock is between the goroutine that runs the World and the test's, which looks on.
type watch struct {
	mu      sync.Mutex
	steps   uint64
	current string // the endpoint, PEER/NAME; empty outside of callbacks
	item    string
	msg     rpcenv.Message
	givenUp bool
}

// begin notes a callback that begins.
func (x *watch) begin(host, endpoint, item string, m rpcenv.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.current, x.item, x.msg = host+"/"+endpoint, item, m
}

// step notes the end of a step, and reports whether the World was given up meanwhile.
func (x *watch) step() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.steps++
	x.current, x.item, x.msg = "", "", nil
	return x.givenUp
}

func (x *watch) isGivenUp() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.givenUp
}

func (x *watch) moved() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.steps
}

// inCallback reports whether a callback of an endpoint is under way.
func (x *watch) inCallback() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.current != ""
}

// giveUp gives the World up and says what it is stuck in.
func (x *watch) giveUp() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.givenUp = true
	switch {
	case x.current == "":
		return "what is run outside of callbacks blocks (a body of Run or Env.Go, or a condition)"
	case strings.HasPrefix(x.item, "timer ") || x.msg == nil && x.item != "":
		return fmt.Sprintf("%s blocks in its callback for %s", x.current, x.item)
	case x.msg != nil:
		return fmt.Sprintf("%s blocks in its callback for the message %s", x.current, rpcenv.TypeName(x.msg))
	}
	return fmt.Sprintf("%s blocks in what it does with the answer of an ask", x.current)
}

// stepped is called between two steps. A World that was given up and goes on has no owner but this goroutine: it ends both.
func (w *World) stepped() {
	if w.watch.step() {
		w.World.Close()
		runtime.Goexit()
	}
}

// How what ran the World ended, if it did not return.
type (
	goexit   struct{} // by t.FailNow or t.SkipNow
	panicked struct {
		value any
		stack []byte
	}
)

// do runs the World by f on another goroutine and waits for its end: it returns, panics or ends this goroutine as f did.
func (w *World) do(f func()) {
	w.t.Helper()
	if w.watch.isGivenUp() {
		w.t.Fatal("rpctest: the World was given up: a callback blocks")
	}
	done, id := make(chan any, 1), make(chan string, 1) // with room: this goroutine may be gone when f ends
	go func() {
		var outcome any = goexit{} // unless f returns or panics: FailNow runs only the deferred calls
		defer func() {
			if v := recover(); v != nil {
				outcome = panicked{v, debug.Stack()}
			}
			done <- outcome
		}()
		id <- ownID()
		f()
		outcome = nil
	}()
	worker := <-id
	limit := w.CallbackLimit
	if limit <= 0 {
		limit = defaultLimit
	}
	ticker := time.NewTicker(max(limit/looks, 1))
	defer ticker.Stop()
	last, same, waits := uint64(0), -1, 0 // the first look only notes how far the world is: whoever steps meanwhile, the limit is the same
	for {
		select {
		case outcome := <-done:
			switch o := outcome.(type) {
			case goexit: // the test has failed or skipped itself there, and means the goroutine that it runs on
				runtime.Goexit()
			case panicked:
				panic(fmt.Sprintf("%v\n\n%s", o.value, o.stack))
			}
			if err := w.Err(); err != nil {
				w.t.Fatalf("rpctest: %v", err)
			}
			return
		case <-ticker.C:
			if now := w.watch.moved(); now != last || same < 0 {
				last, same, waits = now, 0, 0
				continue
			}
			same++
			state, stack := lookAt(worker)
			switch {
			case state == sleeps: // whatever it waits for, it does so on the wrong clock
				waits = waitLooks
			case waiting[state] && w.watch.inCallback():
				waits++
			default: // it works, or what runs is the World itself: only the limit counts
				waits = 0
			}
			if waits >= waitLooks || same >= looks {
				w.t.Fatalf("rpctest: %s: no end after %s, state %q. A callback must not wait for a channel, a lock, a sleep or I/O: "+
					"use Ask, After, Outside, or Run; a body waits only by its Blocking.\n%s",
					w.watch.giveUp(), time.Duration(same)*max(limit/looks, 1), state, stack)
			}
		}
	}
}

// sleeps is the state of a goroutine in time.Sleep, waiting are all in which one waits for another or for I/O.
const sleeps = "sleep"

var waiting = map[string]bool{
	sleeps: true, "chan receive": true, "chan send": true, "select": true, "semacquire": true, "IO wait": true,
	"sync.Mutex.Lock": true, "sync.RWMutex.Lock": true, "sync.RWMutex.RLock": true, "sync.Cond.Wait": true, "sync.WaitGroup.Wait": true,
}

// ownID is what the stack of this goroutine begins with: "goroutine 7 ".
func ownID() string {
	var b [64]byte
	head := b[:runtime.Stack(b[:], false)]
	return string(head[:bytes.IndexByte(head, '[')])
}

// lookAt is the state and the stack of a goroutine; if it waits for a coroutine, those of the body that runs.
func lookAt(id string) (state, stack string) {
	buf := make([]byte, 64<<10) // Stack cuts what has no room: twice as much until all goroutines are in it
	n := runtime.Stack(buf, true)
	for n == len(buf) && n < 64<<20 {
		buf = make([]byte, 2*n)
		n = runtime.Stack(buf, true)
	}
	for s := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		head, _, _ := strings.Cut(s, "\n")
		switch is := stateOf(head); {
		case is == "coroutine": // of two that take turns, the one whose turn it is not
		case strings.HasPrefix(head, id):
			return is, aboveMachinery(s)
		case strings.Contains(s, ownFrames+"Blocking).start"):
			state, stack = is, aboveMachinery(s)
		}
	}
	return state, stack
}

// stateOf reads the state in the first line of a stack: "goroutine 7 [chan receive, 2 minutes]:".
func stateOf(head string) string {
	_, state, _ := strings.Cut(head, "[")
	if end := strings.IndexAny(state, ",(]"); end >= 0 {
		state = state[:end]
	}
	return strings.TrimSpace(state)
}

// aboveMachinery cuts a stack where the callback or the body begins.
func aboveMachinery(stack string) string {
	for _, frame := range []string{"continued[...]).goOn(", "ran[...]).", "inbox).call(", "Blocking).start"} {
		if i := strings.Index(stack, ownFrames+frame); i >= 0 {
			return strings.TrimSpace(stack[:i])
		}
	}
	return stack
}

// ownFrames begins the names of the methods that call callbacks and bodies.
var ownFrames = reflect.TypeFor[rpcenv.Env]().PkgPath() + ".(*"
