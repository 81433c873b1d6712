package main

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
)

// masters are several Master processes of which one leads, on one machine.
type masters struct {
	t     testing.TB
	dir   string
	ports []string
	peers string
	cmds  []*exec.Cmd
	ready []process.Ready
	lines chan masterLine
	args  []string // of each
}

// masterLine is a line that a Master logged.
type masterLine struct {
	master int
	text   string
}

// masterLog passes on the lines that tests wait for.
type masterLog struct {
	to     *masters
	master int

	mu   sync.Mutex
	rest []byte
}

func (l *masterLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := string(l.rest[:i])
		l.rest = l.rest[i+1:]
		fmt.Fprintf(l.to.t.Output(), "Master %d: %s\n", l.master, line)
		if strings.Contains(line, isMember) || strings.Contains(line, isLeader) || strings.Contains(line, isRevoked) {
			l.to.lines <- masterLine{l.master, line}
		}
	}
}

// startMasters starts n Masters and waits until all take part and one leads.
func startMasters(t testing.TB, n int, args ...string) (m *masters, leader int) {
	t.Helper()
	m = &masters{t: t, dir: t.TempDir(), cmds: make([]*exec.Cmd, n), ready: make([]process.Ready, n), lines: make(chan masterLine, 1000), args: args}
	var peers []string
	// Ports that are free now: peers must know all addresses before the first Master starts.
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		peers = append(peers, l.Addr().String())
		_, port, _ := net.SplitHostPort(l.Addr().String())
		m.ports = append(m.ports, port)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	m.peers = strings.Join(peers, ",")
	for i := range n {
		m.start(i)
	}
	leader = -1
	for members := 0; members < n || leader < 0; {
		if line := m.await(""); strings.Contains(line.text, isMember) {
			members++
		} else {
			leader = line.master
		}
	}
	return m, leader
}

// start starts a Master, again if it was killed, and waits until it listens.
func (m *masters) start(i int) {
	m.t.Helper()
	m.cmds[i], m.ready[i] = daemonTo(m.t, &masterLog{to: m, master: i}, nil, append([]string{
		"master", "--port", m.ports[i], "--peers", m.peers,
		"--conf", "spark.deploy.recoveryDirectory=" + m.dir,
	}, m.args...)...)
}

// await waits until a Master logs words.
func (m *masters) await(words string) masterLine {
	m.t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case line := <-m.lines:
			if strings.Contains(line.text, words) {
				return line
			}
		case <-patience:
			m.t.Fatalf("no Master says %q", words)
		}
	}
}

const (
	isLeader = "I have been elected leader"
	isMember = "One of the Masters"
	// isRevoked is logged by a Master that lost the lead, before it ends.
	isRevoked = "Leadership has been revoked"
)

// kill ends a Master as kill -9 does.
func (m *masters) kill(i int) {
	m.t.Helper()
	if err := m.cmds[i].Process.Kill(); err != nil {
		m.t.Fatal(err)
	}
	_ = m.cmds[i].Wait() // its error is the kill
}

// An application and its Worker go over to another Master when the leader is killed, and the result is right.
func TestAnApplicationOutlivesAKilledLeader(t *testing.T) {
	t.Parallel()
	m, leader := startMasters(t, 3)
	url := "spark://" + m.peers
	_, _ = daemon(t, "worker", url, "--cores", "2", "--memory", "1g", "--work-dir", t.TempDir())
	cmd := command(t, "submit", "--master", url, "--executor-memory", "512m", "sleep", "--tasks", "8", "--task-time", "1s")
	var out strings.Builder
	started := &waiter{words: "executor 0 registered", seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &out, started
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-started.seen:
	case <-time.After(time.Minute):
		t.Fatal("no executor registered")
	}
	m.kill(leader)
	if err := cmd.Wait(); err != nil || out.String() != "8 tasks slept\n" {
		t.Errorf("%v, printed %q", err, out.String())
	}
	if next := m.await(isLeader).master; next == leader {
		t.Errorf("Master %d leads after its end", next)
	}
}

// waiter is a writer that closes seen when words were written.
type waiter struct {
	words string
	seen  chan struct{}

	once sync.Once
	text []byte
}

func (w *waiter) Write(p []byte) (int, error) {
	w.text = append(w.text, p...)
	if bytes.Contains(w.text, []byte(w.words)) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}

// Masters that cannot be a group say why at once.
func TestMastersThatCannotBeAGroupAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ peers, want string }{
		{"127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", "is not among its peers"},
		{"127.0.0.1:7077,127.0.0.1:2", "want 1, 3, 5 or 7"},
		{"127.0.0.1", "want HOST:PORT"},
	} {
		r := finish(t, command(t, "master", "--port", "7077", "--peers", tt.peers, "--conf", "spark.deploy.recoveryDirectory="+t.TempDir()))
		if r.code == 0 || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%s: %d %s", tt.peers, r.code, r.stderr)
		}
	}
}

// BenchmarkElection kills the leader of three Masters with signal 9 and measures the time until another leads: one
// operation. In between it starts the killed one again.
func BenchmarkElection(b *testing.B) {
	m, leader := startMasters(b, 3)
	var longest time.Duration
	var all []string
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		m.kill(leader)
		next := m.await(isLeader).master
		took := time.Since(began)
		longest = max(longest, took)
		all = append(all, fmt.Sprintf("%.2f", took.Seconds()))
		b.StopTimer()
		m.start(leader)
		m.await(isMember)
		leader = next
		b.StartTimer()
	}
	b.ReportMetric(longest.Seconds(), "s-longest")
	b.Logf("%s s", strings.Join(all, ", "))
}
