package recovery_test

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/cluster/raftlog"
	"github.com/coherer/coherer/rpcenv"
)

// electedMasters are three Masters in mode RAFT, each with an Env and a file of its own.
type electedMasters struct {
	p     *peers
	nodes []*node.Node
	leads chan int

	mu      sync.Mutex
	elected time.Time     // the last one
	before  time.Duration // what the process had used then
}

// Levels and Fire make it a hook of the Masters' log.
func (m *electedMasters) Levels() []logrus.Level { return []logrus.Level{logrus.InfoLevel} }

// Fire notes when a Master was elected.
func (m *electedMasters) Fire(e *logrus.Entry) error {
	if strings.HasPrefix(e.Message, "This Master is elected leader") {
		m.mu.Lock()
		m.elected, m.before = time.Now(), processTime(m.p.b)
		m.mu.Unlock()
	}
	return nil
}

func (p *peers) startElected() *electedMasters {
	m := &electedMasters{p: p, leads: make(chan int, 10)}
	var at []rpcenv.Address
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			p.b.Fatal(err)
		}
		at = append(at, rpcenv.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port})
		if err := l.Close(); err != nil {
			p.b.Fatal(err)
		}
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	log.AddHook(m)
	for i := range at {
		file, err := raftlog.Open(filepath.Join(p.b.TempDir(), "log.db"))
		if err != nil {
			p.b.Fatal(err)
		}
		p.b.Cleanup(func() { _ = file.Close() })
		n, err := node.ElectedMaster(p.host, rpcenv.Config{Name: fmt.Sprint("Master", i), Listen: at[i], Log: logrus.NewEntry(log)},
			master.Config{}, election.Config{Peers: at, Log: file})
		if err != nil {
			p.b.Fatal(err)
		}
		p.envs = append(p.envs, n.Env)
		m.nodes = append(m.nodes, n)
		go func() {
			b := n.Env.Blocking(p.b.Context())
			defer b.Close()
			if _, err := rpcenv.AskWait(b, n.Ref, master.AwaitLeadership{}); err == nil {
				m.leads <- i
			}
		}()
	}
	return m
}

// keep puts records into the common log.
func (m *electedMasters) keep(leader int, changes []records.Change) {
	n := m.nodes[leader]
	b := n.Env.Blocking(m.p.b.Context())
	defer b.Close()
	store := &election.Store{Election: rpcenv.Ref{Address: n.Env.Address(), Name: election.Name}}
	if _, _, err := store.Load(b); err != nil {
		m.p.b.Fatal(err)
	}
	if err := store.Write(b, changes); err != nil {
		m.p.b.Fatal(err)
	}
}

// BenchmarkRegistrationRAFT is BenchmarkRegistration with three Masters, whose disks are files on this machine.
func BenchmarkRegistrationRAFT(b *testing.B) {
	const registering = 5000
	b.Run(fmt.Sprintf("workers=%d", registering), func(b *testing.B) {
		var took time.Duration
		for range b.N {
			p := newPeers(b, registering)
			m := p.startElected()
			ref := m.nodes[<-m.leads].Ref
			took += p.registerAll(registering, ref)
			p.close(m.nodes[0].Env)
		}
		b.ReportMetric(took.Seconds()/float64(b.N), "s/run")
		b.ReportMetric(float64(registering)*float64(b.N)/took.Seconds(), "workers/s")
	})
}

// BenchmarkRecoveryRAFT is BenchmarkRecovery of a Master that is elected when another ends: from its election until it is
// ALIVE. The time of the election is reported beside it.
func BenchmarkRecoveryRAFT(b *testing.B) {
	b.Run(fmt.Sprintf("workers=%d/applications=%d/drivers=%d", workers, applications, drivers), func(b *testing.B) {
		var took, elected, used time.Duration
		for range b.N {
			p := newPeers(b, workers+applications)
			m := p.startElected()
			first := <-m.leads
			m.keep(first, p.cluster())
			ended := time.Now()
			m.nodes[first].Env.Close()
			second := m.nodes[<-m.leads]
			p.wait()
			untilAlive(b, second.Env, second.Ref)
			m.mu.Lock()
			took, elected = took+time.Since(m.elected), elected+m.elected.Sub(ended)
			used += processTime(b) - m.before
			m.mu.Unlock()
			p.close(second.Env)
		}
		b.ReportMetric(took.Seconds()/float64(b.N), "s/run")
		b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/run")
		b.ReportMetric(elected.Seconds()/float64(b.N), "s-election/run")
	})
}
