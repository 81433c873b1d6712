package rpcenv

// hold is a place in the stream of what an endpoint sends: nothing after it goes out before it is released.
type hold struct{ released bool }

// held is what waits behind holds, in order: a hold, or something to send.
type held struct {
	queue []heldItem
	over  bool // the endpoint stops and something was dropped: what comes after is dropped too
}

type heldItem struct {
	hold *hold
	send func()          // brings it on its way
	drop func(err error) // it never will be
}

// hold holds back what is sent from here on.
func (h *held) hold() *hold {
	x := &hold{}
	h.queue = append(h.queue, heldItem{hold: x})
	return x
}

// takes takes what is sent if something before it is held back; false: send it now.
func (h *held) takes(it heldItem) bool {
	switch {
	case h == nil:
		return false
	case h.over:
		it.drop(ErrRefusedStopped)
	default:
		h.queue = append(h.queue, it)
	}
	return true
}

// release sends what no other hold is before. It reports whether nothing is held back any more.
func (h *held) release(holds []*hold) bool {
	for _, x := range holds {
		x.released = true
	}
	// The queue is a stream: what stands behind a hold of another Journal waits for that one, though its own is released.
	n := 0
	for n < len(h.queue) && (h.queue[n].hold == nil || h.queue[n].hold.released) {
		if h.queue[n].send != nil {
			h.queue[n].send()
		}
		h.queue[n] = heldItem{}
		n++
	}
	h.queue = h.queue[n:]
	return len(h.queue) == 0
}

// drop gives up what is held back: the endpoint stops.
func (h *held) drop() {
	if h == nil {
		return
	}
	h.over = true // what OnStop sends would stand behind what is dropped here
	for _, it := range h.queue {
		if it.drop != nil {
			it.drop(ErrRefusedStopped)
		}
	}
	h.queue = nil
}
