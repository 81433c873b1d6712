// Package httpserver runs the HTTP servers of daemons: what they serve, when they end and what they log. Who may ask, how often and
// for how long is up to the http.Server that it is given.
package httpserver

import (
	"bytes"
	"errors"
	stdlog "log"
	"net"
	"net/http"

	"github.com/sirupsen/logrus"
)

// Server serves until it is closed.
type Server struct {
	http *http.Server
	done chan struct{}
}

// Start serves s at l until Close, in its own goroutine. Both are the Server's own from now on. The log gets what net/http has to say
// of clients, at level debug, and an error if the server ends by itself: it begins with what, such as "the pages".
func Start(l net.Listener, s *http.Server, what string, log *logrus.Entry) *Server {
	s.ErrorLog = stdlog.New(lines{log}, "", 0)
	out := &Server{http: s, done: make(chan struct{})}
	go func() {
		defer close(out.done)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Errorf("%s at %s have ended: %v", what, l.Addr(), err)
		}
	}()
	return out
}

// Close ends the server and what it serves at once. It may be called twice, and on nil.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	err := s.http.Close()
	<-s.done
	return err
}

// lines gives the log what it is written, a line at a time.
type lines struct{ log *logrus.Entry }

func (l lines) Write(line []byte) (int, error) {
	l.log.Debug(string(bytes.TrimSpace(line)))
	return len(line), nil
}
