package measure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// A trial of operations has no messages of ours by which the receiving side could know where a batch begins and ends. The driving
// side says it, by a byte on a connection of their own, and goes on when the byte came back: so the marks lie outside the time
// that is measured.
const (
	markBegin = 'b'
	markEnd   = 'e'
)

// marks is the driving end of that connection.
type marks struct {
	conn net.Conn
	fail func(error) // ends the trial
}

func dialMarks(ctx context.Context, address string, fail func(error)) (*marks, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("marks: %w", err)
	}
	return &marks{conn, fail}, nil
}

func (m *marks) mark(begins bool) {
	b := []byte{markEnd}
	if begins {
		b[0] = markBegin
	}
	_, err := m.conn.Write(b)
	if err == nil {
		_, err = m.conn.Read(b) // one byte: all of it or an error
	}
	if err != nil {
		m.fail(fmt.Errorf("the receiving side does not take the mark of a batch: %w", err))
	}
}

func (m *marks) close() { _ = m.conn.Close() }

// markServer is the receiving end: it serves one driving side.
type markServer struct {
	ln      net.Listener
	serving sync.WaitGroup
	mu      sync.Mutex
	conn    net.Conn
}

func serveMarks(host string, sink *Sink) (*markServer, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("marks: %w", err)
	}
	s := &markServer{ln: ln}
	s.serving.Go(func() { s.serve(sink) })
	return s, nil
}

func (s *markServer) serve(sink *Sink) {
	conn, err := s.ln.Accept()
	if err != nil {
		return // closed before a sender came
	}
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	defer conn.Close()
	for b := make([]byte, 1); ; {
		if _, err := conn.Read(b); err != nil {
			return
		}
		sink.mark(b[0] == markBegin)
		if _, err := conn.Write(b); err != nil {
			return // the driving side notices it too
		}
	}
}

func (s *markServer) close() error {
	err := s.ln.Close()
	s.mu.Lock()
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close())
	}
	s.mu.Unlock()
	s.serving.Wait()
	return err
}
