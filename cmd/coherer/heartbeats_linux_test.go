package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// BenchmarkHeartbeats sends 10,000 heartbeats a second to a Master process, from workers that have a connection each, and
// measures how much of a core that process uses. One operation is a heartbeat.
func BenchmarkHeartbeats(b *testing.B) {
	const workers, perSecond, tick = 500, 10_000, 10 * time.Millisecond
	cmd, ready := daemon(b, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	at, err := rpcenv.ParseMasterURL(ready.URL)
	if err != nil {
		b.Fatal(err)
	}
	host := transport.New(transport.Options{})
	defer host.Close()
	hearts := make([]*heart, workers)
	welcome := make(chan struct{}, workers)
	for i := range hearts {
		env, err := rpcenv.New(host, rpcenv.Config{Name: fmt.Sprint("W", i), Listen: rpcenv.Address{Host: "127.0.0.1"}})
		if err != nil {
			b.Fatal(err)
		}
		hearts[i] = &heart{master: env.Ref(at[0], master.Name), id: fmt.Sprintf("worker-bench-%d", i), welcome: welcome}
		if _, err := env.Register("Worker", hearts[i]); err != nil {
			b.Fatal(err)
		}
	}
	for range hearts {
		<-welcome
	}
	before, begun := used(b, cmd.Process.Pid), time.Now()
	b.ResetTimer()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for sent := 0; sent < b.N; <-ticks.C {
		for due := min(b.N, int(time.Since(begun)*perSecond/time.Second)); sent < due; sent++ {
			hearts[sent%workers].beat(beat{})
		}
	}
	took := time.Since(begun)
	// The Master answers in the order of its inbox, so by then it has handled the heartbeats that arrived before this question.
	if r, err := askWhy(b.Context(), at, "app-x"); err != nil || r.GetFound() {
		b.Fatal(r, err)
	}
	b.ReportMetric((used(b, cmd.Process.Pid)-before).Seconds()/took.Seconds(), "cores-of-master")
	b.ReportMetric(float64(b.N)/took.Seconds(), "msgs/s")
}

// heart is a Worker that only registers and beats.
type heart struct {
	master  rpcenv.Ref
	id      string
	welcome chan<- struct{}
	beat    func(rpcenv.Message)
}

type beat struct{ rpcenv.Local }

func (h *heart) OnStart(c *rpcenv.Context) {
	h.beat = c.Outside("tick")
	self := c.Self()
	c.Send(h.master, &deploy.RegisterWorker{
		Id: h.id, Host: self.Address.Host, Port: int32(self.Address.Port), Worker: self.Proto(), Cores: 1, Memory: 1024,
	})
}

func (h *heart) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m.(type) {
	case *deploy.RegisteredWorker:
		h.welcome <- struct{}{}
	case beat:
		c.Send(h.master, &deploy.Heartbeat{WorkerId: h.id, Worker: c.Self().Proto()})
	}
}

// used is the processor time of a process.
func used(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(after)
	var ticks int
	for _, s := range f[11:13] { // utime and stime
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100
}
