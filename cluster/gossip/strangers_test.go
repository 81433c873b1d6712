package gossip_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/memberlist"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/gossip"
)

// lines is a log whose lines a test waits for.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// logged gives a Config a log of warnings.
func logged(c *gossip.Config) lines {
	l := make(lines, 1000)
	logger := logrus.New()
	logger.SetOutput(l)
	c.Log = logrus.NewEntry(logger)
	return l
}

// want waits for a line that holds a text.
func (l lines) want(t *testing.T, text string) string {
	t.Helper()
	select {
	case line := <-l:
		if !strings.Contains(line, text) {
			t.Fatalf("logged %q, want %q", line, text)
		}
		return line
	case <-within(t).Done():
		t.Fatalf("no line says %q", text)
	}
	return ""
}

// A member that gets garbage, over UDP and TCP, says so once and counts the rest, and its cluster goes on.
func TestAFloodOfGarbageIsALineOrTwo(t *testing.T) {
	c := config(gossip.RoleMaster, 1)
	log := logged(&c)
	c.Upkeep = quick
	const flood = 10_000
	c.Adjust(func(s *memberlist.Config) { s.HandoffQueueDepth = flood }) // or a slow machine would be overloaded, which is another line
	a := play(t, c)
	b := play(t, config("worker", 2, a))
	b.wantMembers(a.Name(), b.Name())
	conn, err := net.Dial("udp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const ours, others = "\xf4\x04test", "\xf4\x05other" // the labels of packets
	garbage := []string{
		"GET / HTTP/1.1\r\n\r\n", "\x00", others + "\x01", "\xf4\xff\x01", ours + "\x07\xff", ours + "\x08suspect 1 x y", ours + "\x03\xff\xff",
	}
	for i := range flood {
		_, _ = conn.Write([]byte(garbage[i%len(garbage)])) // a full buffer of the socket is no error of this test
	}
	log.want(t, "not of this cluster, and was dropped")
	stream, err := net.Dial("tcp", a.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = stream.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	_, _ = io.Copy(io.Discard, stream) // until the member ends it
	stream.Close()
	line := log.want(t, "packets and streams came so far")
	// It joins by a stream: packets may still be lost.
	d := play(t, config("worker", 3, a))
	for _, p := range []*player{a, b, d} {
		p.wantMembers(a.Name(), b.Name(), d.Name())
	}
	if n := len(log); n > 4 { // one for each power of ten
		t.Errorf("%d more lines after %s", n, line)
	}
}

// Each kind of what memberlist drops is a warning: of a stranger, or of a member that is overloaded. This test fails if memberlist words a line
// of its log otherwise, by which a member knows of it.
func TestWhatIsDroppedIsSaid(t *testing.T) {
	keys := gossip.KeysOf(newRing(t, newKey()).path)
	keyed := func(c *gossip.Config) { c.Keys = keys }
	slow := func(c *gossip.Config) { c.Adjust(func(s *memberlist.Config) { s.HandoffQueueDepth = 0 }) }
	const (
		ours                  = "\xf4\x04test" // the label
		strangers, overloaded = "not of this cluster", "this member is overloaded"
	)
	for _, c := range []struct {
		network, sent string
		times         int
		change        func(*gossip.Config)
		said, want    string
	}{
		{"udp", "GET / HTTP/1.1\r\n\r\n", 1, nil, strangers, "discarding packet with unacceptable label"},
		{"udp", "\xf4\xff\x01", 1, nil, strangers, "cannot decode label"},
		{"udp", "\xf4\x00", 1, nil, strangers, "label header cannot be empty"},
		{"udp", ours + "plain", 1, keyed, strangers, "Decrypt packet failed"},
		{"udp", ours + "\x0c1234x", 1, nil, strangers, "Got invalid checksum"},
		{"udp", "", 1, nil, strangers, "UDP packet too short"},
		{"udp", ours, 1, nil, strangers, "missing message type byte"},
		{"udp", ours + "\x63", 1, nil, strangers, "msg type (99)"},
		{"udp", ours + "\x07\x01\x00\x05", 1, nil, strangers, "Compound request had 1 truncated"},
		{"udp", ours + "\x09\xff", 1, nil, strangers, "Failed to decompress"},
		{"udp", ours + "\x00\xff", 1, nil, strangers, "Failed to decode ping"},
		{"tcp", "GET / HTTP/1.1\r\n\r\n", 1, nil, strangers, "discarding stream with unacceptable label"},
		{"tcp", "\xf4\x00", 1, nil, strangers, "failed to receive and remove"},
		{"tcp", ours + "plain", 1, keyed, strangers, "failed to receive: encryption is configured"},
		{"tcp", ours + "\x08\xff", 1, nil, strangers, "Failed to receive user message"},
		{"tcp", ours + "\x06\xff", 1, nil, strangers, "Failed to read remote state"},
		{"tcp", ours + "\x63", 1, nil, strangers, "Received invalid msgType (99)"},
		{"udp", ours + "\x08suspect 1 x y", 1, slow, overloaded, "handler queue full"},
		{"tcp", ours + "\x06", 128, nil, overloaded, "Too many pending push/pull requests"},
	} {
		t.Run(c.network+" "+c.want, func(t *testing.T) {
			cfg := config(gossip.RoleMaster, 1)
			if c.change != nil {
				c.change(&cfg)
			}
			log := logged(&cfg)
			at := play(t, cfg).Addr().String()
			for range c.times {
				conn, err := net.Dial(c.network, at)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := conn.Write([]byte(c.sent)); err != nil {
					t.Fatal(err)
				}
			}
			if line := log.want(t, c.said); !strings.Contains(line, c.want) {
				t.Errorf("logged %q, want %q", line, c.want)
			}
		})
	}
}

// Two clusters on one host never mix, also when one calls on the other's address again and again: both say why.
func TestTwoClustersOnOneHostNeverMix(t *testing.T) {
	ours := config(gossip.RoleMaster, 1)
	log := logged(&ours)
	a := play(t, ours)
	b := play(t, config("worker", 2, a))
	theirs := config(gossip.RoleMaster, 3)
	theirs.Label, theirs.Upkeep = "other", quick
	c := play(t, theirs)
	c.Meet(a.Addr().String())
	if line := log.want(t, "not of this cluster"); !strings.Contains(line, "other") {
		t.Errorf("logged %s", line)
	}
	b.wantMembers(a.Name(), b.Name())
	c.wantMembers(c.Name())
	a.wantMembers(a.Name(), b.Name())
	more := config("worker", 4, a)
	more.Label = "other"
	_, err := gossip.Join(within(t), more)
	if err == nil || !strings.Contains(err.Error(), "coherer.gossip.label") {
		t.Errorf("%v", err)
	}
}

// A port of --join that is no member's is an error with its reason.
func TestJoinSaysWhatIsWrongWithAPort(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close) // not deferred: the parallel tests come later
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	keyed := config(gossip.RoleMaster, 1)
	keyed.Keys = gossip.KeysOf(newRing(t, newKey()).path)
	a := play(t, keyed)
	for name, c := range map[string]struct{ at, want string }{
		"an HTTP server":  {strings.TrimPrefix(web.URL, "http://"), "speak no gossip"},
		"a silent port":   {silent.Addr().String(), "somebody is there and does not answer"},
		"one that resets": {resetting(t), "coherer.gossip.label"},
		"one with a key":  {a.Addr().String(), "coherer.gossip.keyFile"},
		"nobody's":        {"127.0.0.1:1", "refused"},
		"an unknown host": {"no.such.host.invalid:1", "no.such.host.invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config("worker", 2)
			cfg.Join = []string{c.at}
			_, err := gossip.Join(within(t), cfg)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// resetting listens at an address, reads a byte of each connection and resets it, as a member with another label does to a caller whose packet
// it has not read to its end.
func resetting(t *testing.T) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1))
			_ = conn.(*net.TCPConn).SetLinger(0) // makes Close a reset
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}
