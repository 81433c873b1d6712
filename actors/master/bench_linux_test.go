package master

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// benched is a Master that only measures, in OnStart. Its Workers and drivers are one endpoint behind TCP that takes
// everything.
type benched struct {
	*Master
	timed func(c *rpcenv.Context)
	done  chan struct{}
}

func (m *benched) OnStart(c *rpcenv.Context) {
	m.timed(c)
	close(m.done)
}

// cpu is what this thread has used until now: on a machine that others use too it says more than the clock.
func cpu(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type sink struct{}

func (sink) Receive(*rpcenv.Context, rpcenv.Message) {}

// newBenched makes a Master with 5,000 Workers; end runs it once and ends all.
func newBenched(b *testing.B) (m *benched, peers rpcenv.Ref, end func()) {
	log := logrus.New()
	log.SetOutput(io.Discard)
	host := transport.New(transport.Options{})
	env := func(name string) *rpcenv.Env {
		e, err := rpcenv.New(host, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: "127.0.0.1"}, Log: logrus.NewEntry(log)})
		if err != nil {
			b.Fatal(err)
		}
		return e
	}
	there, here := env("Peers"), env("M")
	peers, err := there.Register("Sink", sink{})
	if err != nil {
		b.Fatal(err)
	}
	m = &benched{Master: New(Config{}), done: make(chan struct{})}
	m.state = RecoveryAlive
	for i := range 5000 {
		m.workers.add(&workerInfo{
			ID: fmt.Sprintf("worker-20260101000000-10.0.%d.%d-7078", i/250, i%250), Ref: peers, Host: "10.0.0.2", Port: 7078,
			Cores: 16, Memory: 65536, State: WorkerAlive,
		})
	}
	return m, peers, func() {
		if _, err := here.Register(Name, m); err != nil {
			b.Fatal(err)
		}
		<-m.done
		if err := host.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchSchedule measures one schedule() with 5,000 workers of 16 cores and 500 applications that each want 100 cores in
// executors of a size, all sends and log lines included; demand false: all have them.
func benchSchedule(b *testing.B, size int32, demand bool) {
	b.ReportAllocs()
	launched, turns := 0, 0
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		m, there, end := newBenched(b)
		for i := range 500 {
			desc := &deploy.ApplicationDescription{
				Name: "bench", MaxCores: proto.Int32(100), MemoryPerExecutorMb: 1024,
				Command: &deploy.Command{MainClass: "org.apache.spark.executor.CoarseGrainedExecutorBackend"},
			}
			if size > 0 {
				desc.CoresPerExecutor = proto.Int32(size)
			}
			app := &applicationInfo{
				ID: fmt.Sprintf("app-20260101000000-%04d", i), Desc: desc, Driver: there, State: ApplicationWaiting, MaxCores: 100,
			}
			m.apps = append(m.apps, app)
			m.idToApp[app.ID] = app
		}
		m.timed = func(c *rpcenv.Context) {
			if !demand {
				m.schedule(c)
			}
			runtime.LockOSThread() // so that its time is schedule's
			defer runtime.UnlockOSThread()
			before := cpu(b)
			b.StartTimer()
			m.schedule(c)
			b.StopTimer()
			spent += cpu(b) - before
		}
		end()
		for _, a := range m.apps {
			if a.CoresGranted != 100 {
				b.Fatalf("%s has %d cores", a.ID, a.CoresGranted)
			}
			launched += len(a.executors)
		}
		turns++
		b.StartTimer()
	}
	b.ReportMetric(spent.Seconds()*1000/float64(turns), "thread-cpu-ms/op")
	b.ReportMetric(float64(launched)/float64(turns), "executors")
}

func BenchmarkSchedule(b *testing.B) {
	b.Run("workers=5000/apps=500/demand=none", func(b *testing.B) { benchSchedule(b, 4, false) })
	for _, size := range []int32{0, 1, 4} {
		b.Run(fmt.Sprintf("workers=5000/apps=500/cores=100/executor=%d", size), func(b *testing.B) { benchSchedule(b, size, true) })
	}
}
