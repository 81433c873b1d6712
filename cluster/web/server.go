package web

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/httpserver"
)

// What a client may cost.
const (
	headTime    = 10 * time.Second
	requestTime = 30 * time.Second
	answerTime  = time.Minute
	idleTime    = 2 * time.Minute
	mostHead    = 64 << 10
	mostAtOnce  = 64
)

// Listen binds to a port of host, or to one of the next retries when it is taken; 0 is any free one. An empty host is loopback.
// The error says what to do; it names service, and the settings by which the user chooses port and host.
func Listen(service, setting, hostSetting, host string, port, retries int, log *logrus.Entry) (net.Listener, error) {
	host = cmp.Or(host, "127.0.0.1")
	var l net.Listener
	// The warning and the last line are in Spark's words, which runbooks look for.
	err := rpcenv.NextPorts(port, retries, func(p int) error {
		if p != port {
			log.Warnf("Service '%s' could not bind on port %d. Attempting port %d.", service, p-1, p)
		}
		var err error
		l, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(p)))
		return err
	})
	if err != nil {
		return nil, rpcenv.ListenAdvice(fmt.Errorf("%s: %w", service, err), hostSetting, setting)
	}
	log.Infof("Successfully started service '%s' on port %d.", service, Port(l))
	return l, nil
}

// Port is where l listens.
func Port(l net.Listener) int {
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return a.Port
}

// URL is the address of the server at l for others: with the host name public, else with the address of l.
func URL(l net.Listener, public string) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "http://" + l.Addr().String()
	}
	return "http://" + net.JoinHostPort(cmp.Or(public, host), port)
}

// Serve serves h at l, which it owns, until the Server is closed.
func Serve(l net.Listener, h http.Handler, log *logrus.Entry) *httpserver.Server {
	return httpserver.Start(l, &http.Server{
		Handler: crowd(h), ReadHeaderTimeout: headTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: mostHead,
	}, "the pages", log)
}

// crowd refuses requests while too many are worked on.
func crowd(h http.Handler) http.Handler {
	seats := make(chan struct{}, mostAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Refused rather than queued: each request asks the endpoint, and the cluster's own messages stand in the same inbox.
		select {
		case seats <- struct{}{}:
			defer func() { <-seats }()
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests at once: try again", http.StatusServiceUnavailable)
		}
	})
}
