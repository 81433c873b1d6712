// Package rpctest lies below the runtime: its endpoints hand messages to a test.
package rpctest

import "example.org/rpcenv"

type Probe struct{ got chan any }

func (p *Probe) Receive(c *rpcenv.Context, m any) { p.got <- m }
