package main

import (
	"context"
	"errors"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// grpcStream is a bidirectional stream of gRPC-Go for each pair: questions and tells in one direction, answers and acknowledgements
// in the other. Pairs share a connection, but those of fan-in and fan-out have one each, as Coherer's. A stream is gRPC's means for many
// messages in order; a unary call is a stream of its own.
//
// Each side is one goroutine that sends all it may and then receives. gRPC's own documents and benchmarks raise these settings for
// throughput, and so does it: windows of flow control hold all that may be under way, so that neither side waits for the other's window
// (and the two cannot wait for each other), and socket buffers are larger. There is no TLS.
type grpcStream struct{}

func (grpcStream) Name() string    { return "grpc" }
func (grpcStream) Version() string { return measure.LibraryVersion("google.golang.org/grpc") }

func (grpcStream) Cases() []measure.Case {
	return []measure.Case{
		measure.RemoteTell, measure.RemoteAsk, measure.OneWay, measure.FanIn, measure.FanOut, measure.Connect,
	}
}

func (grpcStream) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true, Host: true} }

const (
	grpcService = "coherer.bench.Carrier"
	grpcMethod  = "Carry"
	// grpcBuffer is that of a connection's reads and writes; gRPC's default is half of it.
	grpcBuffer = 64 << 10
	grpcPrefix = 5 // bytes before each message
	// grpcSpare is room in a window beside the messages under way, and all of it for a flood.
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
	return int32(min((spec.Size+grpcPrefix)*spec.InFlight*spec.Pairs+grpcSpare, grpcMaxWindow))
}

// grpcSinks serves the receiving side, a stream at a time in a goroutine of its own.
type grpcSinks struct{ *measure.Receivers }

func (g *grpcSinks) carry(s grpc.BidiStreamingServer[app.StatusUpdate, app.StatusUpdate]) error {
	for {
		m, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if back := g.Take(m); back != nil {
			if err := s.Send(back); err != nil {
				return err
			}
		}
	}
}

func (grpcStream) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(spec.ListenHost(), "0"))
	if err != nil {
		return "", nil, err
	}
	window := grpcWindow(spec)
	server := grpc.NewServer(
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.ReadBufferSize(grpcBuffer), grpc.WriteBufferSize(grpcBuffer),
		grpc.MaxRecvMsgSize(measure.MaxSize),
	)
	server.RegisterService(&carrier, &grpcSinks{measure.NewReceivers(spec, sinks)})
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

func grpcDial(t *measure.Trial) (*grpc.ClientConn, error) {
	window := grpcWindow(t.Spec)
	return grpc.NewClient("passthrough:///"+t.Address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithReadBufferSize(grpcBuffer), grpc.WithWriteBufferSize(grpcBuffer),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(measure.MaxSize)),
	)
}

// grpcClient is the sending side of a stream.
type grpcClient struct {
	grpc.BidiStreamingClient[app.StatusUpdate, app.StatusUpdate]
}

// grpcOpen opens a stream. The end of ctx ends a Send or Recv that waits, and with it the stream's goroutines.
func grpcOpen(ctx context.Context, conn *grpc.ClientConn) (grpcClient, error) {
	stream, err := conn.NewStream(ctx, &carrier.Streams[0], "/"+grpcService+"/"+grpcMethod)
	return grpcClient{&grpc.GenericClientStream[app.StatusUpdate, app.StatusUpdate]{ClientStream: stream}}, err
}

// send sends m. The stream's own error is at Recv: Send says io.EOF for each.
func (s grpcClient) send(m *app.StatusUpdate) error {
	err := s.Send(m)
	if errors.Is(err, io.EOF) {
		_, err = s.Recv()
	}
	return err
}
