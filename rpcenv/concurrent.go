package rpcenv

// scheduleTurnsLocked is a kind's schedule: it asks for as many turns as there are items, within what the kind allows.
func (in *inbox) scheduleTurnsLocked() {
	p := &in.pool
	// A turn in a callback has taken its item already, and will not be free for those that wait.
	limit, want := 1, in.queue.len()+p.active
	if p.concurrent {
		limit = in.kind.threads
	}
	if len(in.system) > 0 {
		want++
	}
	if in.env.hooks.Choose != nil { // a World has one goroutine
		limit = 1
	}
	for p.waiting+p.active < min(limit, want) {
		p.waiting++
		in.env.dispatcher.Schedule(in.concurrentTurn)
	}
}

// concurrentTurn is Spark's Inbox.process: it handles items until none is left, or until the inbox stops being concurrent while
// another turn is at work: then only that one goes on. So nothing overlaps with OnStart and OnStop. mu is released for each
// callback.
func (in *inbox) concurrentTurn() {
	in.mu.Lock()
	p := &in.pool
	p.waiting--
	if !p.concurrent && p.active != 0 { // the turn at work asks for another at its end
		in.mu.Unlock()
		return
	}
	p.active++
	for range in.env.dispatcher.Throughput() {
		if !p.concurrent && p.active != 1 { // stop came meanwhile, and OnStop waits for the last turn
			break
		}
		in.systemLocked()
		if in.queue.len() == 0 {
			itemQueues.release(in.queue)
			in.queue = nil
			break
		}
		it := in.takeLocked()
		in.mu.Unlock()
		in.begins(&it)
		err := in.handleApart(&it)
		it.ledger.add(int(it.bytes))
		in.env.busy(-1)
		in.mu.Lock()
		// As in Spark an endpoint whose OnStart failed lives on, and stays serial.
		if it.kind == itemStart && err == nil && !in.stopped {
			p.concurrent = true
		}
		in.scheduleTurnsLocked()
	}
	p.active--
	in.scheduleTurnsLocked()
	in.mu.Unlock()
}

// takeLocked takes the next item: the oldest, or in a World any, as long as the inbox is concurrent.
func (in *inbox) takeLocked() item {
	i := 0
	if choose := in.env.hooks.Choose; choose != nil && in.pool.concurrent {
		i = choose(in.queue.len())
	}
	return itemQueues.take(in.queue, i)
}

// systemLocked handles protoactor's own messages, which come while one turn is at work: at the spawn and after OnStop. It releases
// mu meanwhile.
func (in *inbox) systemLocked() {
	if in.pool.concurrent || len(in.system) == 0 {
		return
	}
	in.mu.Unlock()
	in.runSystem()
	in.mu.Lock()
}

// handleApart handles an item in a Context of its own, or in the one that it goes on from. It is not announced through
// protoactor, whose context is for one item at a time.
func (in *inbox) handleApart(it *item) error {
	var c *Context
	if it.then != nil {
		c = it.then.context()
	} else {
		c = &Context{in: in}
	}
	c.callback.Lock()
	defer c.callback.Unlock()
	err := in.handle(c, it)
	if it.kind == itemStop {
		in.stopActor()
	}
	return err
}
