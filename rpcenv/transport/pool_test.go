package transport

import (
	"testing"
	"testing/synctest"
	"time"
)

// workersOf says how many goroutines a pool has, and how many of them are idle, after all have come to rest.
func workersOf(p *pool) (live, idle int) {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live, len(p.idle)
}

func wantWorkers(t *testing.T, p *pool, live, idle int) {
	t.Helper()
	if l, i := workersOf(p); l != live || i != idle {
		t.Errorf("%d workers, %d of them idle, want %d and %d", l, i, live, idle)
	}
}

func TestAWorkerThatIsIdleIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		ran := 0
		for range 3 {
			p.Schedule(func() { ran++ })
			wantWorkers(t, p, 1, 1)
		}
		hold := make(chan struct{})
		p.Schedule(func() { <-hold })
		wantWorkers(t, p, 1, 0)
		p.Schedule(func() { ran++ })
		wantWorkers(t, p, 2, 1)
		close(hold)
		wantWorkers(t, p, 2, 2)
		if ran != 4 {
			t.Errorf("%d functions ran, want 4", ran)
		}
		if !p.close(time.Second) {
			t.Error("not all workers ended")
		}
		if live, _ := workersOf(p); live != 0 {
			t.Errorf("%d workers are left", live)
		}
	})
}

func TestAWorkerEndsWhenNobodyNeededItFromOneReapingToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		hold := make(chan struct{})
		for range 3 {
			p.Schedule(func() { <-hold })
		}
		close(hold)
		wantWorkers(t, p, 3, 3)
		time.Sleep(reapEvery) // the first reaping only marks them
		wantWorkers(t, p, 3, 3)
		p.Schedule(func() {}) // one of three is needed
		time.Sleep(reapEvery)
		wantWorkers(t, p, 1, 1)
		p.Schedule(func() {})
		time.Sleep(reapEvery)
		wantWorkers(t, p, 1, 1)
		time.Sleep(reapEvery)
		wantWorkers(t, p, 0, 0)
		if p.reaping {
			t.Error("a reaper without workers")
		}
		p.Schedule(func() {})
		wantWorkers(t, p, 1, 1)
		time.Sleep(2 * reapEvery)
		wantWorkers(t, p, 0, 0)
		if !p.close(time.Second) {
			t.Error("something runs in an empty pool")
		}
	})
}

func TestAClosedPoolWaitsForWhatRunsAndBeginsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		hold := make(chan struct{})
		p.Schedule(func() { <-hold })
		p.Schedule(func() {})
		synctest.Wait()
		time.Sleep(reapEvery) // the idle one is spare
		began := time.Now()
		if p.close(time.Minute) {
			t.Error("it did not wait for what runs")
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it waited %s", took)
		}
		p.Schedule(func() { t.Error("something began after the end") })
		p.reap() // a reaping that was due just then
		close(hold)
		<-p.empty
		if live, _ := workersOf(p); live != 0 {
			t.Errorf("%d workers are left", live)
		}
	})
}

func TestAPoolIsClosedWhenTheLastWorkerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		for i := range 2 {
			p.Schedule(func() { time.Sleep(time.Duration(i+1) * time.Second) })
		}
		synctest.Wait()
		began := time.Now()
		if !p.close(time.Minute) {
			t.Error("not all workers ended")
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it waited %s, the longer function takes 2 s", took)
		}
	})
}
