package rpcenv

// end answers k, or fails it with err, for a callback of the endpoint: a Journal may hold that back.
func (in *inbox) end(k *incomingAsk, m Message, err error) {
	if in.held == nil || !in.holdsBack(k, m, err) { // without a Journal nothing has to be kept
		k.end(m, err)
	}
}

func (in *inbox) holdsBack(k *incomingAsk, m Message, err error) bool {
	return in.held.takes(heldItem{send: func() { k.end(m, err) }, drop: k.fail})
}

// Reply answers the ask q that is being handled.
func Reply[Q Asks[R], R Message](c *Context, _ Q, r R) {
	if c.mayAnswer() {
		c.in.end(c.item.call, r, nil)
	}
}

// ReplyAs is Reply without the compiler's check of the type.
func ReplyAs(c *Context, _, r Message) {
	if c.mayAnswer() {
		c.in.end(c.item.call, r, nil)
	}
}

// Fail fails the ask q that is being handled. The asker gets err: itself within the Env, else a RemoteError that
// errors.Is compares with the values made by NewRefusal.
func Fail(c *Context, _ Message, err error) {
	if c.mayAnswer() {
		c.in.end(c.item.call, nil, err)
	}
}

// mayAnswer notes that the item is answered; false for an item that is no ask.
func (c *Context) mayAnswer() bool {
	if c.item == nil || c.item.call == nil {
		return false
	}
	c.answered = true
	return true
}

// Call is an ask that is kept and answered later: a value, to be kept in the endpoint's state and ended once. Its
// methods are called in the endpoint's callbacks. At the endpoint's stop it fails with ErrRefusedStopped.
type Call[R Message] struct {
	k  *incomingAsk
	in *inbox
}

// Defer keeps the ask q that is being handled, to be answered later.
func Defer[Q Asks[R], R Message](c *Context, _ Q) Call[R] { return deferred[R](c) }

// DeferAs is Defer without the compiler's check of the type, for messages whose ReplyType nobody generated: R is what the
// asker waits for, as in AskAs.
func DeferAs[R Message](c *Context, _ Message) Call[R] { return deferred[R](c) }

func deferred[R Message](c *Context) Call[R] {
	if c.item == nil || c.item.call == nil {
		return Call[R]{}
	}
	c.deferred = true
	k := c.item.call
	keep(&c.in.owned, &c.in.owned.held, k) // OnStop fails it, if nobody has ended it by then
	return Call[R]{k, c.in}
}

// Reply answers. A second end is an event of the trace and nothing else.
func (a Call[R]) Reply(r R) {
	if a.k != nil {
		a.in.owned.letGo(a.k)
		a.in.end(a.k, r, nil)
	}
}

// Fail fails the ask.
func (a Call[R]) Fail(err error) {
	if a.k != nil {
		a.in.owned.letGo(a.k)
		a.in.end(a.k, nil, err)
	}
}

// Sender is where the asker's Env listens, as Context.Sender.
func (a Call[R]) Sender() Address {
	if a.k == nil {
		return Address{}
	}
	return a.k.sender
}
