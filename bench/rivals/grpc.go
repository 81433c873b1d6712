package main

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// grpcStream is one bidirectional stream of gRPC-Go: questions and tells in one direction, answers and acknowledgements in the
// other. A stream is what gRPC has for many messages in order; a unary call for each would cost several times as much.
//
// Each side is one goroutine that sends all it may and then receives. Its settings are those that gRPC's own documents and
// benchmarks raise for throughput: windows of flow control that hold all that may be under way, so that neither side waits for the
// other's window (and the two cannot wait for each other), and larger socket buffers that streams share. There is no TLS.
type grpcStream struct{}

func (grpcStream) Name() string    { return "grpc" }
func (grpcStream) Version() string { return measure.LibraryVersion("google.golang.org/grpc") }

func (grpcStream) Cases() []measure.Case {
	return []measure.Case{measure.RemoteTell, measure.RemoteAsk, measure.OneWay}
}

const (
	grpcService = "coherer.bench.Carrier"
	grpcMethod  = "Carry"
	// grpcBuffer is that of a connection's reads and writes; gRPC's default is half of it.
	grpcBuffer = 64 << 10
	// grpcSpare is room in a window beside the messages under way: their headers, acknowledgements.
	grpcSpare = 1 << 20
	// grpcMaxWindow is below HTTP/2's limit of 2^31-1.
	grpcMaxWindow = 1 << 30
)

// carrierServer is what a server of the service does.
type carrierServer interface {
	carry(s grpc.BidiStreamingServer[app.StatusUpdate, app.StatusUpdate]) error
}

// carrier is the service: what protoc-gen-go-grpc would write for
// rpc Carry(stream StatusUpdate) returns (stream StatusUpdate).
var carrier = grpc.ServiceDesc{
	ServiceName: grpcService,
	HandlerType: (*carrierServer)(nil),
	Streams: []grpc.StreamDesc{{
		StreamName: grpcMethod,
		Handler: func(srv any, s grpc.ServerStream) error {
			return srv.(carrierServer).carry(&grpc.GenericServerStream[app.StatusUpdate, app.StatusUpdate]{ServerStream: s})
		},
		ServerStreams: true, ClientStreams: true,
	}},
}

// grpcWindow is a window of flow control for all that may be under way.
func grpcWindow(spec *measure.Spec) int32 {
	return int32(min(spec.Size*spec.InFlight+grpcSpare, grpcMaxWindow))
}

// grpcSink serves the receiving side.
type grpcSink struct{ sink *measure.Sink }

func (g grpcSink) carry(s grpc.BidiStreamingServer[app.StatusUpdate, app.StatusUpdate]) error {
	for {
		m, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if back := g.sink.Take(m); back != nil {
			if err := s.Send(back); err != nil {
				return err
			}
		}
	}
}

func (grpcStream) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	window := grpcWindow(spec)
	server := grpc.NewServer(
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.ReadBufferSize(grpcBuffer), grpc.WriteBufferSize(grpcBuffer), grpc.SharedWriteBuffer(true),
		grpc.MaxRecvMsgSize(measure.MaxSize),
	)
	server.RegisterService(&carrier, grpcSink{sinks[0]})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(ln) // its end is Stop's
	}()
	return ln.Addr().String(), func() {
		server.Stop()
		<-served
	}, nil
}

func (grpcStream) Run(ctx context.Context, t *measure.Trial) (err error) {
	window := grpcWindow(t.Spec)
	conn, err := grpc.NewClient("passthrough:///"+t.Address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithReadBufferSize(grpcBuffer), grpc.WithWriteBufferSize(grpcBuffer), grpc.WithSharedWriteBuffer(true),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(measure.MaxSize)),
	)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The end of ctx ends a Send or Recv that waits, and with it the stream's goroutines.
	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := conn.NewStream(streaming, &carrier.Streams[0], "/"+grpcService+"/"+grpcMethod)
	if err != nil {
		return err
	}
	s := grpcClient{&grpc.GenericClientStream[app.StatusUpdate, app.StatusUpdate]{ClientStream: stream}}
	if t.Spec.Case.Ask() {
		err = s.ask(t.Asks[0], t.Spec.InFlight)
	} else {
		err = s.tell(t.Tells[0])
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// grpcClient is the sending side.
type grpcClient struct {
	grpc.BidiStreamingClient[app.StatusUpdate, app.StatusUpdate]
}

func (s grpcClient) tell(t *measure.Tell) error {
	for {
		for m := t.Next(); m != nil; m = t.Next() {
			if err := s.send(m); err != nil {
				return err
			}
		}
		ack, err := s.Recv()
		if err != nil {
			return err
		}
		if over, err := t.Acknowledged(ack); over || err != nil {
			return err
		}
	}
}

// ask takes answers in the order of their questions: a stream has no other.
func (s grpcClient) ask(a *measure.Ask, inFlight int) error {
	var asked, answered int
	times := make([]time.Duration, inFlight)
	for {
		for m, at := a.Next(); m != nil; m, at = a.Next() {
			times[asked%inFlight] = at // free: Next lets inFlight questions be open, not more
			if err := s.send(m); err != nil {
				return err
			}
			asked++
		}
		answer, err := s.Recv()
		if err != nil {
			return err
		}
		at := times[answered%inFlight]
		answered++
		if over, err := a.Answered(at, answer); over || err != nil {
			return err
		}
	}
}

// send sends m. The stream's own error is at Recv: Send says io.EOF for each.
func (s grpcClient) send(m *app.StatusUpdate) error {
	err := s.Send(m)
	if errors.Is(err, io.EOF) {
		_, err = s.Recv()
	}
	return err
}
