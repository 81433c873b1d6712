package rpcenv

// Held is what an Env keeps of its peers, for tests that it forgets them.
func (e *Env) Held() (outboxes, connections, asks int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.links {
		c.mu.Lock()
		asks += len(c.waiting)
		c.mu.Unlock()
	}
	return len(e.outboxes), len(e.links), asks
}
