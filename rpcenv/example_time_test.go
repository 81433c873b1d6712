package rpcenv_test

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// Ticks are messages to oneself.
type (
	strike struct{ rpcenv.Local }
	runOut struct{ rpcenv.Local }
)

// clock strikes each hour until it has run out.
type clock struct {
	hours   int
	strikes rpcenv.Timer
}

func (k *clock) OnStart(c *rpcenv.Context) {
	k.strikes = c.Every(time.Hour, time.Hour, strike{})
	c.After(150*time.Minute, runOut{})
}

func (k *clock) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case strike:
		k.hours++
		fmt.Println(c.Now().Format(time.TimeOnly), k.hours)
	case runOut:
		c.Cancel(k.strikes)
		fmt.Println(c.Now().Format(time.TimeOnly), "silence")
	default:
		c.Unsupported(m)
	}
}

// A day of virtual time passes in no time.
func ExampleContext_Every() {
	w := sim.New(1, 0)
	defer w.Close()
	if _, err := house(w).Register("Clock", &clock{}); err != nil {
		fmt.Println(err)
	}
	w.Advance(24 * time.Hour)
	// Output:
	// 01:00:00 1
	// 02:00:00 2
	// 02:30:00 silence
}

// fuse burns once.
type fuse struct{}

func (fuse) OnStart(c *rpcenv.Context) { c.After(time.Minute, runOut{}) }

func (fuse) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case runOut:
		fmt.Println("bang at", c.Now().Format(time.TimeOnly))
		c.Stop()
	default:
		c.Unsupported(m)
	}
}

func ExampleContext_After() {
	w := sim.New(1, 0)
	defer w.Close()
	if _, err := house(w).Register("Fuse", fuse{}); err != nil {
		fmt.Println(err)
	}
	w.Advance(time.Hour)
	// Output:
	// bang at 00:01:00
}
