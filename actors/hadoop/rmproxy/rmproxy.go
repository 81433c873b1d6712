// Package rmproxy is how clients of a ResourceManager live through its absence: a call that perhaps was not heard, or that
// the ResourceManager cannot answer yet, is made again each yarn.resourcemanager.connect.retry-interval.ms, until
// yarn.resourcemanager.connect.max-wait.ms are over; then its caller gets the last error. It mirrors
// org.apache.hadoop.yarn.client.RMProxy and its retry policy.
//
// Every call that goes through it must do no harm when it is made twice.
package rmproxy

import (
	"errors"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/rpcenv"
)

// Retry is the tick at which a call is made again: its endpoint hands it to [Proxy.Retry].
type Retry struct{ rpcenv.Local }

// Proxy is what an endpoint keeps of the one call that is to be made again. The zero value is ready.
type Proxy struct {
	next    func(*rpcenv.Context)
	timer   rpcenv.Timer
	stopped bool
}

// After does f after d. It replaces a call that waited for its next try.
func (p *Proxy) After(c *rpcenv.Context, d time.Duration, f func(*rpcenv.Context)) {
	c.Cancel(p.timer)
	p.next, p.timer = f, c.After(d, Retry{})
}

// Again does f when the next try is due.
func (p *Proxy) Again(c *rpcenv.Context, f func(*rpcenv.Context)) {
	p.After(c, YARNConnectRetryInterval.Get(c.Conf()), f)
}

// Retry makes the call that is due.
func (p *Proxy) Retry(c *rpcenv.Context) { p.next(c) }

// Cancel forgets the call that waits for its next try.
func (p *Proxy) Cancel(c *rpcenv.Context) { c.Cancel(p.timer) }

// Stop is the end of all repetitions: the call that waits is forgotten, and one that is out ends with its answer.
func (p *Proxy) Stop(c *rpcenv.Context) {
	p.stopped = true
	p.Cancel(c)
}

// Passing reports whether the ResourceManager may yet answer what failed with err: it was not reached, its process has only
// just begun to listen, or it was not ready.
func Passing(err error) bool {
	return errors.Is(err, rpcenv.ErrUnreachable) || errors.Is(err, rpcenv.ErrRefusedNotFound) || errors.Is(err, exceptions.Retriable)
}

// MayRetry reports whether a call that began then, and failed with err, is to be made again.
func MayRetry(c *rpcenv.Context, began time.Time, err error) bool {
	most := YARNConnectMaxWait.Get(c.Conf())
	return Passing(err) && (most < 0 || c.Now().Sub(began) < most)
}

// Ask asks the ResourceManager's endpoint to, and again while that may help.
func Ask[Q rpcenv.Asks[R], R rpcenv.Message](p *Proxy, c *rpcenv.Context, to rpcenv.Ref, q Q, then func(R, error)) {
	// The patience is counted from the first try.
	began := c.Now()
	var try func(*rpcenv.Context)
	try = func(c *rpcenv.Context) {
		rpcenv.Ask(c, to, q, func(r R, err error) {
			if !p.stopped && MayRetry(c, began, err) {
				c.Log().Warnf("The ResourceManager at %s does not answer; it is asked again: %v", to.Address, err)
				p.Again(c, try)
				return
			}
			then(r, err)
		})
	}
	try(c)
}
