// Package rpcenv stands for the runtime: its own packages may do what endpoints may not.
package rpcenv

import (
	"math/rand/v2"
	"sync"
	"time"
)

type Context struct{ lock sync.Mutex }

func (c *Context) Now() time.Time   { return time.Now() }
func (c *Context) Rand() *rand.Rand { return nil }
func (c *Context) Send(any) bool    { return true }

type verifier struct{}

func (verifier) Receive(c *Context, m any) { go c.lock.Lock() }
