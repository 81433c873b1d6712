package transport

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// Options are the settings of a Host. The zero value is a Host over TCP that records nothing and starts no process.
type Options struct {
	// Recorder is handed to the Envs; nil records nothing.
	Recorder *record.Recorder
	// Start starts processes; nil makes Host.Start answer ErrCannotStart.
	Start func(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error)
	// ExitFunc ends the process. With nil, Exit only remembers its code, see Host.Exited.
	ExitFunc func(code int)
	// Memory makes links within the process instead of TCP connections. Addresses are those of a table of this Host, and
	// files are not served.
	Memory bool
	// ConnectTimeout bounds Dial; spark.rpc.io.connectionCreationTimeout. 0 means 120 s.
	ConnectTimeout time.Duration
	// FirstFrameTimeout is how long an accepted connection may stay silent before it is a link. 0 means 10 s.
	FirstFrameTimeout time.Duration
	// IdleTimeout is how long a peer may take nothing of a file that it asked for, and how long the rest of a frame may take whose
	// beginning has come: a peer that stops in the middle of a frame, or sends it by drips, loses its link. It is meant to be
	// spark.network.timeout. 0 means 120 s.
	IdleTimeout time.Duration
	// MaxFrame bounds a frame after Link.Open, in bytes. 0 means 128 MiB and room for a header, 2^31-2 is the most.
	MaxFrame int
	// MaxUnfinished bounds what the frames of all links over TCP hold together while they are read and handled, in bytes, beside
	// the 64 KiB that each link has. A link whose frame would exceed it ends. 0 means twice MaxFrame; less than that is raised to
	// it: one frame of MaxFrame takes as much while its buffer grows.
	MaxUnfinished int64
	// CloseTimeout bounds Close. 0 means 5 s.
	CloseTimeout time.Duration
}

const (
	// defaultTimeout is spark.network.timeout.
	defaultTimeout = 120 * time.Second
	// defaultMaxFrame is spark.rpc.message.maxSize, 128 MiB, and room for a header.
	defaultMaxFrame = 128<<20 + 64<<10
)

func (o *Options) setDefaults() {
	orElse := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	orElse(&o.ConnectTimeout, defaultTimeout)
	orElse(&o.FirstFrameTimeout, 10*time.Second)
	orElse(&o.IdleTimeout, defaultTimeout)
	orElse(&o.CloseTimeout, 5*time.Second)
	if o.MaxFrame <= 0 {
		o.MaxFrame = defaultMaxFrame
	}
	o.MaxFrame = min(o.MaxFrame, wire.MaxFrame)
	o.MaxUnfinished = max(o.MaxUnfinished, 2*int64(o.MaxFrame))
}
