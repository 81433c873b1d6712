package bench

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// tcp is a connection between two processes for each pair, with the frames that Coherer writes, protobuf at both ends and batched
// writes: what a message costs when there are no endpoints, inboxes, causes, time-outs and failures.
//
// By itself it reads each frame into bytes of its own, a copy out of the connection's buffer, as most code with frames does. In place
// it decodes them in that buffer, and uses the bytes of a frame that is larger again.
type tcp struct{ inPlace bool }

func (c tcp) Name() string {
	if c.inPlace {
		return "raw-tcp-in-place"
	}
	return "raw-tcp"
}

func (tcp) Version() string { return "" }

func (tcp) Cases() []measure.Case {
	return []measure.Case{measure.RemoteTell, measure.RemoteAsk, measure.OneWay, measure.FanIn, measure.FanOut, measure.Connect}
}

func (tcp) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true, Host: true} }

// tcpServer is the receiving side: one goroutine for each connection.
type tcpServer struct {
	spec      *measure.Spec
	inPlace   bool
	receivers *measure.Receivers
	ln        net.Listener
	serving   sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

func (c tcp) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(spec.ListenHost(), "0"))
	if err != nil {
		return "", nil, err
	}
	s := &tcpServer{spec: spec, inPlace: c.inPlace, receivers: measure.NewReceivers(spec, sinks), ln: ln, open: map[net.Conn]struct{}{}}
	s.serving.Go(s.accept)
	return ln.Addr().String(), s.stop, nil
}

func (s *tcpServer) accept() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return // closed by stop; the sender notices any other end
		}
		if !s.keep(conn) {
			return
		}
		s.serving.Go(func() {
			s.serve(conn)
			s.forget(conn)
		})
	}
}

// keep remembers a connection for stop, or closes it when stop has been here.
func (s *tcpServer) keep(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return false
	}
	s.open[conn] = struct{}{}
	return true
}

func (s *tcpServer) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, conn)
}

func (s *tcpServer) stop() {
	_ = s.ln.Close()
	s.mu.Lock()
	s.closed = true
	for conn := range s.open {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
}

// serve hands what comes to a sink until the connection ends. The sender notices what is missing.
func (s *tcpServer) serve(conn net.Conn) {
	w, err := newWire(conn, endpoints.SourceName, endpoints.SinkName, s.inPlace)
	if err != nil {
		_ = conn.Close()
		return
	}
	defer w.close()
	kind, reply := kinds(s.spec.Case)
	for {
		request, m, err := w.read(kind)
		if err != nil {
			return
		}
		if back := s.receivers.Take(m); back != nil {
			if w.write(reply, request, back) != nil {
				return
			}
		}
	}
}

// kinds are the frames there and back.
func kinds(c measure.Case) (there, back rpcenv.EnvelopeKind) {
	if c.Ask() || c == measure.Connect {
		return rpcenv.KindRequest, rpcenv.KindResponse
	}
	return rpcenv.KindOneWay, rpcenv.KindOneWay
}

func (c tcp) Run(ctx context.Context, t *measure.Trial) error {
	if t.Spec.Case == measure.Connect {
		return t.OperateBlocking(ctx, func(ctx context.Context, _ uint64) error { return c.connect(ctx, t.Address) })
	}
	lanes, err := c.lanes(ctx, t)
	defer closeLanes(lanes)
	if err != nil {
		return err
	}
	// A read has no deadline: closing the connection is what ends it when ctx does. The error is then that of ctx.
	defer context.AfterFunc(ctx, func() {
		for _, l := range lanes {
			_ = l.wire.conn.Close()
		}
	})()
	over := make(chan error, len(lanes))
	var reading sync.WaitGroup
	// What an error leaves behind may wait for its connection: closeLanes comes before the waits for its end.
	defer reading.Wait()
	defer t.Pace(ctx, func(pair int) { lanes[pair].remind() })()
	defer closeLanes(lanes)
	for _, l := range lanes {
		reading.Go(func() { over <- l.run() })
	}
	if err := waitAll(ctx, over, len(lanes)); err != nil && ctx.Err() == nil {
		return err
	}
	return ctx.Err()
}

// connect is one operation: there is no handshake but that of TCP.
func (c tcp) connect(ctx context.Context, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	w, err := newWire(conn, endpoints.SinkName, endpoints.SourceName, c.inPlace)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	defer w.close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := w.write(rpcenv.KindRequest, 0, &app.StatusUpdate{}); err != nil {
		return err
	}
	_, _, err = w.read(rpcenv.KindResponse)
	return err
}
