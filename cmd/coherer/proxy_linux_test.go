package main

import (
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// far is the address of this machine behind a proxy: all of 127.0.0.0/8 is loopback.
const far = "127.0.0.2"

// proxy passes TCP connections on from far:PORT to 127.0.0.1:PORT, and can cut and delay them.
type proxy struct {
	port   string
	passed atomic.Int64 // connections
	delay  atomic.Int64 // of each piece, a time.Duration
	done   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
}

// startProxy listens at far, at a port that is free at 127.0.0.1 too; "0" is any.
func startProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(far, "0"))
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{}
	_, p.port, _ = net.SplitHostPort(l.Addr().String())
	p.done.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return // it is closed
			}
			p.done.Go(func() { p.pass(from) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.cut()
		p.done.Wait()
	})
	return p
}

// pass passes one connection on, both ways, until one side closes it.
func (p *proxy) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", p.port))
	if err != nil {
		return
	}
	defer to.Close()
	// closed is set before the last cut: a connection that this cut does not see ends here.
	p.mu.Lock()
	refused := p.closed
	p.conns = append(p.conns, from, to)
	p.mu.Unlock()
	if refused {
		return
	}
	p.passed.Add(1)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		both.Go(func() {
			p.copy(way[1], way[0])
			from.Close()
			to.Close()
		})
	}
	both.Wait()
}

// copy passes one direction on, piece by piece, each after the delay.
func (p *proxy) copy(to io.Writer, from io.Reader) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if d := time.Duration(p.delay.Load()); d > 0 {
				<-time.After(d)
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut closes all connections and returns their number.
func (p *proxy) cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	n := len(p.conns) / 2
	p.conns = nil
	return n
}

// masterBehind starts a Master in this process, which the others know by the address of a proxy.
func masterBehind(t *testing.T, p *proxy, log io.Writer) {
	t.Helper()
	l := logrus.New()
	l.SetOutput(log)
	h := transport.New(transport.Options{Recorder: record.NewRecorder(0), ExitFunc: func(code int) { t.Errorf("the Master ended with code %d", code) }})
	port, err := net.LookupPort("tcp", p.port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := conf.New(nil, known.All())
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Master(h, rpcenv.Config{
		Name: "M", Listen: rpcenv.Address{Host: "127.0.0.1", Port: port}, Advertise: far, Conf: c, Log: logrus.NewEntry(l),
	}, master.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.Env.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestConnectionsThatAreCutAndSlow: all connections to the Master, and all to the driver, go through proxies. When the job
// runs those of the Master are cut, with Workers and driver at the other ends, then those of the driver, with executors
// there; then all are slow. No Worker ends, the application stays the one that it was, and the result is right.
func TestConnectionsThatAreCutAndSlow(t *testing.T) {
	t.Parallel()
	toMaster, toDriver := startProxy(t), startProxy(t)
	mlog := &lines{to: t.Output()}
	masterBehind(t, toMaster, mlog)
	url := "spark://" + net.JoinHostPort(far, toMaster.port)
	var workers []*exec.Cmd
	for range 2 {
		w, _ := daemonTo(t, t.Output(), nil, "worker", url, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
		workers = append(workers, w)
	}
	job := make(chan result, 1)
	cmd := command(t, "submit", "--master", url, "--executor-memory", "512m", "--conf", "spark.driver.bindAddress=127.0.0.1",
		"--conf", "spark.driver.host="+far, "--conf", "spark.driver.port="+toDriver.port,
		"sleep", "--tasks", "20", "--task-time", "200ms", "--stages", "2")
	log := &lines{to: t.Output()}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := cmd.Wait()
		if err != nil {
			t.Log(err)
		}
		job <- result{stdout: out.String(), code: cmd.ProcessState.ExitCode()}
	}()
	log.until(t, "executor 0 registered")
	log.until(t, "executor 1 registered")
	if n := toMaster.cut(); n < 3 {
		t.Errorf("the Master had %d connections through the proxy, want those of two Workers and a driver", n)
	}
	// The driver is cut only when the Master has its peers again: one fault at a time.
	mlog.until(t, "lost its connection and is there, keeping it.")
	if n := toDriver.cut(); n < 2 {
		t.Errorf("the driver had %d connections through the proxy, want those of two executors", n)
	}
	toMaster.delay.Store(int64(50 * time.Millisecond))
	toDriver.delay.Store(int64(20 * time.Millisecond))
	r := <-job
	if r.code != 0 || r.stdout != "40 tasks slept\n" {
		t.Errorf("the job: %d %q", r.code, r.stdout)
	}
	for _, w := range workers {
		if w.ProcessState != nil {
			t.Errorf("a Worker ended: %v", w.ProcessState)
		}
	}
	mlog.until(t, "Received unregister request from application")
	// A cut of the Master must not make the driver register as a new application.
	if text := mlog.String(); strings.Count(text, "Registered app ") != 1 {
		t.Error("the application was registered more than once")
	}
}
