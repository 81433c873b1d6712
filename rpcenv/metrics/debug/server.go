package debug

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/httpserver"
)

// Server is the HTTP server of a process.
type Server struct {
	http *httpserver.Server
	at   net.Addr
}

// headerTime is how long a client may take for its request's head.
const headerTime = 10 * time.Second

// Serve serves at HOST:PORT, port 0 is any free one, until Close. An empty host is loopback. The source begins to measure
// times. Requests to another Host than an address, localhost, HOST and the machine's name are 403: a page of a name that an
// attacker points here reads nothing. A port in use is an error that wraps syscall.EADDRINUSE and says what to do; setting is the
// option by which the user gave at.
func Serve(at, setting string, log *logrus.Entry, source Source) (*Server, error) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, fmt.Errorf("%s %q: want HOST:PORT, such as 127.0.0.1:0: %w", setting, at, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: %w: name a free port, or 0 for any", setting, at, err)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w: name an address of this machine", setting, at, err)
	}
	rpcenv.Door{
		Name: "/metrics and /debug/pprof", At: l.Addr().String(), Lets: "read counters, profiles, stacks and the command line, and slow the process down",
		Close: "give " + setting + " an address on loopback, such as 127.0.0.1:" + port,
	}.Warn(log)
	// Names under which a browser may ask for pages here; any other is taken for one that was rebound to this machine.
	names := []string{host}
	if own, err := os.Hostname(); err == nil {
		names = append(names, own)
	}
	h := &http.Server{Handler: httpserver.Named(names, "use its address", handler(log, source)), ReadHeaderTimeout: headerTime}
	return &Server{httpserver.Start(l, h, setting+": /metrics and /debug/pprof", log), l.Addr()}, nil
}

// Addr is where it listens, HOST:PORT; empty for a nil Server.
func (s *Server) Addr() string {
	if s == nil {
		return ""
	}
	return s.at.String()
}

// Close ends the server and what it serves at once. It may be called twice, and on nil.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	return s.http.Close()
}

func handler(log *logrus.Entry, source Source) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), NewCollector(source),
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: log, MaxRequestsInFlight: 4}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
