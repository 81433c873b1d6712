package rpcenv

import (
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Shutdown stops all endpoints, in the order of registration, writes out what was sent, and closes the connections and
// the listener. It does not wait; Done is closed at its end. It may be called again, and from inside a handler.
func (e *Env) Shutdown() {
	if _, ok := e.life.to(envStops, afterEnv); !ok {
		return
	}
	// From here on Register fails and new bodies begin cancelled, so the lists are complete.
	if e.listener != nil {
		if err := e.listener.Close(); err != nil {
			e.log.WithError(err).Debug("close the listener")
		}
	}
	// The connections outlive the endpoints: what an OnStop sends is still written out. Not waiting for the last OnStop lets a handler
	// call Shutdown.
	none := e.endpoints.end(e.close)
	for _, b := range e.bodies.all() {
		b.cancel()
	}
	if none {
		e.close()
	}
}

// close goes on with Shutdown when no endpoint is left.
func (e *Env) close() {
	if _, ok := e.life.to(envCloses, afterEnv); ok {
		e.closeConnections()
	}
}

// closeGrace is how long the end of an Env waits for its connections.
const closeGrace = 1500 * time.Millisecond

// closeConnections is the last part of Shutdown: what was sent is written, then the connections end, those in their
// handshake too. What still waits for a connection fails.
func (e *Env) closeConnections() {
	why := fmt.Errorf("%w: Message is dropped because Outbox is stopped: the Env was shut down", ErrStopped)
	for _, ob := range e.outboxes.all() { // complete, as the list of connections: none is made any more
		ob.fail(why)
	}
	// The end of the last link completes the Shutdown, or this does when no link is open, or the clock when a peer takes nothing.
	links := e.connections.drain(e.complete)
	if len(links) == 0 {
		e.complete()
		return
	}
	e.OnDone(e.host.After(closeGrace, e.complete))
	for _, c := range links {
		c.finish(why)
	}
}

// Done is closed when Shutdown is complete.
func (e *Env) Done() <-chan struct{} { return e.done }

// OnDone calls f once after Shutdown is complete, at once if it is. In a simulation it is the way to wait.
func (e *Env) OnDone(f func()) {
	e.mu.Lock()
	select {
	case <-e.done:
		e.mu.Unlock()
		f()
	default:
		e.onDone = append(e.onDone, f)
		e.mu.Unlock()
	}
}

// Close is Shutdown and waiting for its end. Not for handlers and bodies.
func (e *Env) Close() {
	e.Shutdown()
	<-e.done
}

// complete is the end of Shutdown. Two may call it: the last connection to end, and the clock that waits for it.
func (e *Env) complete() {
	// Before done is closed: after Done no ask is pending.
	e.asks.close()
	e.forgetPIDs()
	e.mu.Lock()
	if _, ok := e.life.to(envEnded, afterEnv); !ok {
		e.mu.Unlock()
		return
	}
	close(e.done)
	fs := e.onDone
	e.onDone = nil
	e.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// discard throws the Env away as a crash does: no callback is called any more, its connections end.
func (e *Env) discard() {
	// First, so that an inbox whose turn runs right now refuses what it takes next. After Context.Exit, which has its own record, or in
	// an Env that had ended this is no crash.
	if _, ok := e.life.to(envCrashed, afterEnv); ok {
		e.recordState("", record.ID{}, change{"process", e.cfg.Name, "", "crashed", ""})
	}
	if e.listener != nil {
		_ = e.listener.Close() // a crash asks nobody
	}
	for _, in := range e.endpoints.all() {
		in.discard()
	}
	for _, ob := range e.outboxes.all() {
		ob.discard()
	}
	for _, b := range e.bodies.all() {
		b.discard()
	}
	for _, c := range e.connections.drain(e.complete) {
		c.close(ErrStopped)
	}
	e.asks.discard()
	e.forgetPIDs()
}

// exit ends the process after what was sent is written. No OnStop runs: items that wait are refused.
func (e *Env) exit(code int, reason string, cause record.ID, endpoint string) {
	if _, ok := e.life.to(envExits, afterEnv); !ok {
		return
	}
	e.recordState(endpoint, cause, change{"process", e.cfg.Name, "", fmt.Sprintf("exited %d", code), reason})
	level := logrus.ErrorLevel
	if code == 0 {
		level = logrus.InfoLevel
	}
	e.log.Logf(level, "exit %d: %s", code, reason)
	// The trace is written after the connections have ended: their ends are in it.
	e.OnDone(func() {
		if err := e.recorder.Flush(); err != nil {
			e.log.Error(err)
		}
		e.discard()
		e.host.Exit(code)
	})
	e.closeConnections()
}

// Exit flushes what was sent and ends the process with an exit code; in a simulation it crashes the Env. The Env logs the reason, as
// an error unless the code is 0.
func (c *Context) Exit(code int, reason string) {
	c.in.env.exit(code, reason, c.cause(), c.in.name)
}
