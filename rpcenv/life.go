package rpcenv

import (
	"slices"
	"sync/atomic"
)

// life is how far an Env or a connection has come, in stages. It may be read without a lock.
type life[S ~uint32] struct{ at atomic.Uint32 }

func (l *life[S]) stage() S { return S(l.at.Load()) }

// to goes on to a stage, unless by the table may it cannot follow the one that it is in, which to returns.
func (l *life[S]) to(next S, may [][]S) (was S, ok bool) {
	for {
		was = l.stage()
		if !slices.Contains(may[was], next) {
			return was, false
		}
		if l.at.CompareAndSwap(uint32(was), uint32(next)) {
			return was, true
		}
	}
}

// envStage is a stage of an Env.
type envStage uint32

const (
	envRuns    envStage = iota
	envStops            // Shutdown was called: no endpoint and no body begins, those that are there end
	envCloses           // its endpoints have ended: its connections end, none is made
	envExits            // Context.Exit was called: as envCloses, and no callback runs any more
	envCrashed          // it was thrown away: as envExits
	envEnded            // its connections have ended
)

// afterEnv are the stages that may follow each.
var afterEnv = [][]envStage{
	envRuns:    {envStops, envExits, envCrashed},
	envStops:   {envCloses, envExits, envCrashed},
	envCloses:  {envExits, envCrashed, envEnded},
	envExits:   {envEnded},
	envCrashed: {envEnded},
	envEnded:   {},
}

// connStage is a stage of a connection.
type connStage uint32

const (
	connGreets  connStage = iota // its handshake is under way
	connHeld                     // its peer waits for the Welcome: another process has the peer's address, and is being asked
	connOpen                     // messages go both ways
	connRefused                  // this side gave it up in its handshake
	connCloses                   // this side gave it up: nothing is sent any more
	connEnded                    // endpoints have heard of its end, or are about to: nothing is received any more
)

// afterConn are the stages that may follow each.
var afterConn = [][]connStage{
	connGreets:  {connHeld, connOpen, connRefused, connEnded},
	connHeld:    {connOpen, connRefused, connEnded},
	connOpen:    {connCloses, connEnded},
	connRefused: {connEnded},
	connCloses:  {connEnded},
	connEnded:   {},
}
