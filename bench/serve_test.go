package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// serving is Serve with this test's own program, which becomes what arg says.
type serving struct {
	address string
	stop    context.CancelFunc
	ended   chan error
}

func serveAt(t *testing.T, host, arg string, progress io.Writer) *serving {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skip("this system does not have the address:", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &serving{ln.Addr().String(), cancel, make(chan error, 1)}
	o := options(t, measure.RemoteAsk)
	go func() {
		s.ended <- Serve(ctx, ln, ServeOptions{Rivals: NoRivals, Program: o.Program, Args: []string{arg}, Progress: progress})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// With the receiving sides at a server everything is counted as without, and the report says where they were.
func TestReceivingSidesElsewhere(t *testing.T) {
	s := serveAt(t, "127.0.0.1", contender, nil)
	o := options(t, measure.RemoteAsk)
	for _, c := range []measure.Case{measure.RemoteTell, measure.OneWay, measure.Connect} {
		cell := o.Cells[0]
		cell.Case = c
		o.Cells = append(o.Cells, Grid{[]measure.Case{c}, []int{76}, []int{8}, []int{1}}.Cells(cell)...)
	}
	o.Connect, o.Contenders = s.address, []string{"raw-tcp"}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, r, 2)
	if r.Peer == nil || r.Peer.Address != s.address || r.Peer.Environment.CPU != r.Environment.CPU {
		t.Errorf("peer: %+v", r.Peer)
	}
	if text := written(t, r, "text"); !strings.Contains(text, "\nreceiving sides at "+s.address+": ") {
		t.Errorf("got\n%s", text)
	}
}

// At another address the clocks may be two: asks have a latency, tells have none.
func TestReceivingSidesAtAnotherAddress(t *testing.T) {
	s := serveAt(t, "127.0.0.2", contender, nil)
	o := options(t, measure.RemoteTell)
	ask := o.Cells[0]
	ask.Case = measure.RemoteAsk
	o.Cells = append(o.Cells, ask)
	o.Connect, o.Contenders = s.address, []string{"raw-tcp"}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Cells[0].Contenders {
		if x.Latency.Samples != 0 || x.Trials[0].Sent == 0 {
			t.Errorf("%+v", x)
		}
	}
	checkCell(t, r.Cells[1], 2)
	if text := written(t, r, "text"); !strings.Contains(text, "latency of msgs: none: it would compare the clocks of two machines\n") {
		t.Errorf("got\n%s", text)
	}
}

// A process that dies at the server is an error with its last words, and so is a server that goes.
func TestReceivingSidesThatEnd(t *testing.T) {
	s := serveAt(t, "127.0.0.1", dies, nil)
	o := options(t, measure.RemoteAsk)
	o.Connect, o.Contenders = s.address, []string{"raw-tcp"}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "coherer, receiver: its process ended with code 7: alas, a command") {
		t.Error(err)
	}
	var gone *serving
	started := make(chan struct{})
	gone = serveAt(t, "127.0.0.1", contender, writer(func(line string) {
		if strings.Contains(line, ": starting the receiving side of coherer") {
			close(started)
		}
	}))
	go func() {
		<-started
		gone.stop()
	}()
	o.Connect = gone.address
	o.Cells[0].Duration = time.Minute
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the connection to "+gone.address+" ended") && !strings.Contains(err.Error(), "connect: "+gone.address) {
		t.Error(err)
	}
}

// A server refuses a connection that does not begin with a greeting of this version, and serves the next one.
func TestServeRefuses(t *testing.T) {
	s := serveAt(t, "127.0.0.1", contender, nil)
	for say, want := range map[string]string{
		"GET / HTTP/1.1\r\n": "invalid character",
		`{"bench":"coherer-bench/0","gomaxprocs":1}` + "\n":                                      "want the same version at both ends",
		`{"bench":"` + Format + `","gomaxprocs":0}` + "\n":                                       "GOMAXPROCS 0",
		`{"bench":"` + Format + `","gomaxprocs":1,"contender":"/bin/sh"}` + "\n":                 "there is no contender",
		`{"bench":"` + strings.Repeat("x", 2*maxGreeting) + "\n":                                 "too long",
		`{"bench":"` + Format + `","gomaxprocs":2,"contender":"go-channel"}` + "\nnot a command": `"hello"`, // it starts
	} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, say); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		text, _ := io.ReadAll(conn) // a reset after the answer is fine
		if !strings.Contains(string(text), want) {
			t.Errorf("%.40q: %q", say, text)
		}
		conn.Close()
	}
}

// What cannot be connected to is said at once.
func TestConnectThatCannotBe(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Connect = "127.0.0.1:1"
	_, err := Run(t.Context(), o)
	if _, ok := errors.AsType[UsageError](err); !ok || !strings.Contains(err.Error(), "local-ask has one process") {
		t.Error(err)
	}
	o = options(t, measure.RemoteAsk)
	o.Connect = "127.0.0.1:1"
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "does coherer bench serve listen there?") {
		t.Error(err)
	}
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\n", `{"contenders":[{"name":"raw-tcp"}]}` + "\n"} {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprint(conn, answer)
			conn.Close()
		}
	}()
	o.Connect = other.Addr().String()
	for _, want := range []string{"connect: " + o.Connect + ": ", "cannot have the receiving side of coherer"} {
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Connections that say nothing take no place: however many there are, a run has its receiving side at once. Only so many receiving
// sides run at a time, and a run that comes too late is refused with the reason.
func TestServePlaces(t *testing.T) {
	started := make(chan struct{}, mostServed)
	s := serveAt(t, "127.0.0.1", contender, writer(func(line string) {
		if strings.Contains(line, ": starting the receiving side of go-channel") {
			started <- struct{}{}
		}
	}))
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	for range 2 * mostServed {
		dial()
	}
	for i := range mostServed + 1 {
		conn := dial()
		if err := writeLine(conn, greeting{Format, "go-channel", 2}); err != nil {
			t.Fatal(err)
		}
		var w welcome
		if err := readLine(conn, bufio.NewReader(conn), maxGreeting, &w); err != nil {
			t.Fatal(err)
		}
		if i == mostServed {
			if w.Error != fmt.Sprintf("%d receiving sides run already", mostServed) {
				t.Errorf("one too many: %q", w.Error)
			}
			break
		}
		if w.Error != "" {
			t.Fatalf("receiving side %d: %s", i+1, w.Error)
		}
		<-started
	}
	if _, err := askPeer(t.Context(), s.address); err != nil { // it asks for the contenders alone, and needs no place
		t.Error(err)
	}
}
