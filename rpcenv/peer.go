package rpcenv

// peerEvent is what a BacklogWatcher hears.
type peerEvent struct {
	Local
	to     Ref
	behind bool
	err    error // the stream ended
}

func (ev *peerEvent) call(c *Context, w BacklogWatcher) {
	if ev.err != nil {
		w.OnStreamEnded(c, ev.to, ev.err)
		return
	}
	w.OnBehind(c, ev.to, ev.behind)
}

// name is what the trace calls it.
func (ev *peerEvent) name() string {
	switch {
	case ev.err != nil:
		return "stream ended"
	case ev.behind:
		return "peer is behind"
	}
	return "peer caught up"
}
