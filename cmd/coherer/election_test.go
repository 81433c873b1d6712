package main

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"slices"
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
	count bool     // they find each other by --expect, and by the gossip of the first
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
	m = newMasters(t, n, args...)
	return m, m.form()
}

// newMasters are n Masters to be started.
func newMasters(t testing.TB, n int, args ...string) *masters {
	t.Helper()
	m := &masters{t: t, dir: t.TempDir(), cmds: make([]*exec.Cmd, n), ready: make([]process.Ready, n), lines: make(chan masterLine, 1000), args: args}
	m.ports = freePorts(t, n)
	m.peers = "127.0.0.1:" + strings.Join(m.ports, ",127.0.0.1:")
	return m
}

// freePorts are ports that are free now: others must know the address of a Master before it starts.
func freePorts(t testing.TB, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // after the last, or one could come twice
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

// form starts the Masters and waits until all take part and one leads.
func (m *masters) form() (leader int) {
	m.t.Helper()
	for i := range m.cmds {
		m.start(i)
	}
	leader = -1
	for members := 0; members < len(m.cmds) || leader < 0; {
		if line := m.await(""); strings.Contains(line.text, isMember) {
			members++
		} else {
			leader = line.master
		}
	}
	return leader
}

// start starts a Master, again if it was killed, and waits until it listens.
func (m *masters) start(i int) {
	m.t.Helper()
	among := []string{"--peers", m.peers}
	if m.count {
		among = []string{"--expect", fmt.Sprint(len(m.cmds)), "--join", m.ready[0].Gossip}
	}
	m.cmds[i], m.ready[i] = daemonTo(m.t, &masterLog{to: m, master: i}, nil, slices.Concat([]string{
		"master", "--port", m.ports[i], "--conf", "spark.deploy.recoveryDirectory=" + m.dir,
	}, among, m.args)...)
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

// Three Masters that know no list, and one of them by its gossip, form a group. A fourth is refused, one that expects another number
// forms none. When the leader is killed another leads; started again, it is one of the same group by its records, without the ring.
func TestMastersFormAGroupByTheirNumber(t *testing.T) {
	t.Parallel()
	m := newMasters(t, 3, "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	m.count = true
	leader := m.form()
	ports := freePorts(t, 2)
	more := func(port, expect string) []string {
		return []string{
			"master", "--port", port, "--webui-port", "0", "--conf", "coherer.gossip.port=0", "--conf", "spark.deploy.recoveryDirectory=" + t.TempDir(),
			"--expect", expect, "--join", m.ready[0].Gossip,
		}
	}
	r := finish(t, command(t, more(ports[0], "3")...))
	if r.code != 1 || !strings.Contains(r.stderr, "error: this Master is one too many") {
		t.Errorf("the fourth: %d %s", r.code, r.stderr)
	}
	log := &lines{to: t.Output()}
	_, _ = daemonTo(t, log, nil, more(ports[1], "5")...)
	for _, port := range m.ports {
		log.until(t, "The Master at 127.0.0.1:"+port+" expects 3 Masters and this one 5")
	}
	m.kill(leader)
	if next := m.await(isLeader).master; next == leader {
		t.Errorf("Master %d leads after its end", next)
	}
	m.ready[0].Gossip = "127.0.0.1:1"
	m.start(leader)
	if line := m.await(isMember); line.master != leader {
		t.Errorf("Master %d takes part again", line.master)
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
	for args, want := range map[string]string{
		"--expect 2":    "2 Masters: want 1, 3, 5 or 7",
		"--expect 0":    "0 Masters: want 1, 3, 5 or 7",
		"--expect -1":   "-1 Masters: want 1, 3, 5 or 7",
		"--expect 9":    "9 Masters: want 1, 3, 5 or 7",
		"--expect":      "flag needs an argument",
		"--expect many": "invalid argument",
		"--expect 3 --peers 127.0.0.1:7077,127.0.0.1:7177,127.0.0.1:7277": "not both",
		"--expect 3 --port 0": "it needs a fixed port",
	} {
		if r := here(t, append([]string{"master"}, strings.Fields(args)...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s", args, r.code, r.stderr)
		}
	}
	for args, want := range map[string]string{
		"--expect 3 --host 0.0.0.0": "is none that they could reach",
		"--expect 3 --conf coherer.deploy.raft.peers=127.0.0.1:7077,127.0.0.1:7177,127.0.0.1:7277": "want one of them",
		"--conf spark.deploy.recoveryMode=RAFT --conf coherer.deploy.raft.expect=4":                "4 Masters: want 1, 3, 5 or 7",
	} {
		r := here(t, append([]string{"master", "--conf", "spark.deploy.recoveryDirectory=" + t.TempDir()}, strings.Fields(args)...)...)
		if r.code != exitFailed || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s", args, r.code, r.stderr)
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
