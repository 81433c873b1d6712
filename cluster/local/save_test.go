package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

var toSave = rdd.Define("local test: eight tasks that save", func(int) rdd.Dataset[int64] {
	return rdd.Sleep(rdd.Range(0, 16, 8), func(int64) time.Duration { return 500 * time.Millisecond })
})

// neverSaved is such a dataset whose last task has an end only by being killed.
var neverSaved = rdd.Define("local test: eight tasks of which one never ends", func(int) rdd.Dataset[int64] {
	return rdd.Sleep(rdd.Range(0, 16, 8), func(n int64) time.Duration {
		if n == 15 {
			return time.Hour
		}
		return 500 * time.Millisecond
	})
})

// saving is an application that saves to /out, in a simulation.
type saving struct {
	*local.Cluster
	ended chan error
}

func save(t *testing.T, seed uint64, settings map[string]string) *saving {
	t.Helper()
	settings["spark.executor.memory"] = "512m"
	s := &saving{local.Start(t, local.Config{Workers: 4, Cores: 2, Seed: seed, Conf: settings}), make(chan error, 1)}
	s.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		err := rdd.SaveAsTextFile(b.Context(), a, toSave.With(0), "/out")
		s.ended <- err
		return err
	}, func(error) {})
	return s
}

// wait waits for the end of the job, and then of what is under way.
func (s *saving) wait(t *testing.T) error {
	t.Helper()
	if err := s.Run(func() bool { return len(s.ended) > 0 }, 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	s.Simulated().Advance(time.Minute)
	return <-s.ended
}

// tree is all that is in a folder and below it.
func tree(fs rdd.OutputFS, folder string) []string {
	var out []string
	names, _ := fs.ReadDir(folder)
	for _, name := range names {
		out = append(out, path.Join(folder, name))
		out = append(out, tree(fs, path.Join(folder, name))...)
	}
	return out
}

// wantSaved wants each record once, and nothing but the parts and _SUCCESS.
func (s *saving) wantSaved(t *testing.T) {
	t.Helper()
	want := []string{"/out/_SUCCESS"}
	for i := range 8 {
		part := fmt.Sprintf("/out/part-%05d", i)
		want = append(want, part)
		f, err := s.Files().Open(part)
		if err != nil {
			t.Error(err)
			continue
		}
		data := make([]byte, f.Size())
		_, _ = f.ReadAt(data, 0)
		if string(data) != fmt.Sprintf("%d\n%d\n", 2*i, 2*i+1) {
			t.Errorf("%s has %q", part, data)
		}
	}
	if got := tree(s.Files(), "/out"); !slices.Equal(got, want) {
		t.Errorf("there is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A slow task's copy commits; the slow one, which goes on when all is over, leaves nothing.
func TestASlowTaskThatSavesHasACopy(t *testing.T) {
	s := save(t, 1, map[string]string{"spark.speculation": "true", "spark.speculation.quantile": "0.75"})
	s.Simulated().Advance(500 * time.Millisecond)
	straggler := s.Simulated().Find("Exec1")
	straggler.Pause()
	s.Simulated().Advance(5 * time.Second)
	straggler.Resume()
	if err := s.wait(t); err != nil {
		t.Fatal(err)
	}
	s.wantSaved(t)
}

// Executors are killed at any time, while their tasks write, ask or commit: the output is complete and has each record once. Two runs
// of one seed are equal.
func TestASaveOutlivesItsExecutors(t *testing.T) {
	for seed := range uint64(12) {
		var took [2]time.Duration
		for i := range took {
			s := save(t, seed, map[string]string{"spark.speculation": fmt.Sprint(seed%2 == 0)})
			r := rand.New(rand.NewPCG(seed, 7))
			began := s.Simulated().Now()
			for _, name := range []string{"Exec0", "Exec2", "Exec5"} {
				s.Simulated().Advance(time.Duration(r.IntN(1200)) * time.Millisecond)
				if h := s.Simulated().Find(name); h != nil {
					h.Kill()
				}
			}
			if err := s.Run(func() bool { return len(s.ended) > 0 }, 10*time.Minute); err != nil {
				t.Fatal(err)
			}
			took[i] = s.Simulated().Now().Sub(began)
			if err := s.wait(t); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			s.wantSaved(t)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		if took[0] != took[1] {
			t.Errorf("seed %d took %s and %s", seed, took[0], took[1])
		}
	}
}

// A job that is cancelled leaves nothing, neither at once nor when its tasks have ended.
func TestACancelledSaveLeavesNothing(t *testing.T) {
	c := local.Start(t, local.Config{Seed: 1, Conf: map[string]string{"spark.executor.memory": "512m"}})
	ended := make(chan error, 1)
	c.Application("A", func(b *rpcenv.Blocking, a *app.App) error {
		b.Env().Go("canceller", func(b *rpcenv.Blocking) error {
			if err := b.Sleep(2 * time.Second); err != nil {
				return err
			}
			_, err := rpcenv.AskWait(b, b.Env().Ref(b.Env().Address(), dag.Name), dag.AllJobsCancelled{})
			return err
		})
		err := rdd.SaveAsTextFile(context.Background(), a, toSave.With(0), "/out")
		if names := tree(c.Files(), "/"); len(names) > 0 {
			t.Errorf("at the end of the job there is %s", names)
		}
		ended <- err
		return b.Sleep(time.Minute)
	}, func(error) {})
	if err := c.Run(func() bool { return len(ended) > 0 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Error(err)
	}
	c.Simulated().Advance(30 * time.Second)
	if names := tree(c.Files(), "/"); len(names) > 0 {
		t.Errorf("after the job there is %s", names)
	}
}
