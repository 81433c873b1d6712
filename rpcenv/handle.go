package rpcenv

import (
	"fmt"

	"github.com/sirupsen/logrus"
)

// handle runs the callback for it and records the outcome, which it returns. As in Spark the asker gets a failure before OnError
// runs.
func (in *inbox) handle(c *Context, it *item) error {
	// After Context.Exit or a crash items may still be queued. An ask among them fails; no callback runs.
	if in.ended || in.env.life.stage() >= envExits {
		in.refuse(it, ErrRefusedStopped)
		return nil
	}
	c.begin(it)
	if f := in.env.hooks.Handling; f != nil {
		f(in.name, it.name(), it.msg)
	}
	err := in.call(c, it)
	if err == nil {
		err = c.failed // Unsupported
	}
	// An ask that the handler neither answered nor kept ends now. In Spark its asker runs into the time-out.
	if it.call != nil && !c.answered {
		switch {
		case err != nil: // also of an ask that it deferred before it failed
			in.owned.letGo(it.call)
			in.end(it.call, nil, err)
		case !c.deferred:
			err = fmt.Errorf("%w: %s to %s", ErrRefusedNoReply, TypeName(it.msg), in.name)
			in.end(it.call, nil, err)
		}
	}
	if err != nil {
		in.onError(c, it, err)
	}
	if f := c.last; f != nil { // a Journal begins its write: it has all records of this handler
		c.last = nil
		f()
	}
	c.finish(it, err)
	c.item = nil // it keeps a whole batch
	if it.kind == itemStop {
		in.finish()
	}
	return err
}

// call runs the callback and turns a panic into an error.
func (in *inbox) call(c *Context, it *item) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanic(v)
		}
	}()
	switch it.kind {
	case itemStart:
		if s, ok := in.ep.(Starter); ok {
			s.OnStart(c)
		}
	case itemStop:
		// First, as Stopper promises: in OnStop nothing of the endpoint is pending any more.
		in.owned.release()
		in.held.drop()
		if s, ok := in.ep.(Stopper); ok {
			s.OnStop(c)
		}
	case itemMessage, itemOutside:
		in.ep.Receive(c, it.msg)
	case itemTick:
		if in.ticked(it.rare.timer) { // else it was cancelled while the tick waited
			in.ep.Receive(c, it.msg)
		}
	case itemReply, itemFailed, itemRun:
		it.then.goOn()
	case itemConnected:
		in.ep.(ConnectionWatcher).OnConnected(c, it.rare.addr)
	case itemDisconnected:
		in.ep.(ConnectionWatcher).OnDisconnected(c, it.rare.addr)
	case itemNetworkError:
		in.ep.(NetworkErrorWatcher).OnNetworkError(c, it.rare.err, it.rare.addr)
	case itemPeer:
		it.rare.peer.call(c, in.ep.(BacklogWatcher))
	}
	return nil
}

// onError gives err to the endpoint's OnError, or to the log; a failure of OnError itself is only logged, as in Spark.
func (in *inbox) onError(c *Context, it *item, err error) {
	h, ok := in.ep.(ErrorHandler)
	if !ok {
		entry := c.Log().WithField("endpoint", in.name)
		if p, isPanic := err.(*panicError); isPanic { //nolint:errorlint // the outermost one
			entry = entry.WithField("stack", p.stack)
		}
		entry.Logf(in.ignoring(), "Ignoring error in %s: %v", it.what(), err)
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.Log().WithField("endpoint", in.name).Logf(in.ignoring(), "Ignoring error in OnError: %v", v)
		}
	}()
	h.OnError(c, err)
}

// ignoring is the level at which an error is logged that goes no further: as in Spark it hardly matters once the endpoint
// is stopped.
func (in *inbox) ignoring() logrus.Level {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return logrus.DebugLevel
	}
	return logrus.ErrorLevel
}

// finish is the end after OnStop.
func (in *inbox) finish() {
	in.ended = true
	if in.env.life.stage() < envStops { // else the connections end soon
		in.env.connections.forget(in.name)
	}
	in.env.endpoints.ended(in)
}

// refuse answers an item that nobody will handle.
func (in *inbox) refuse(it *item, err error) {
	if it.call != nil {
		it.call.fail(err)
	}
}
