package dag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
	storagepb "github.com/coherer/coherer/messages/storage"
)

var (
	numberedWords = rdd.Define("numbered words", func(text []string) rdd.Dataset[string] {
		return rdd.Persist(rdd.Union(rdd.Parallelize(text, 1), rdd.Parallelize(text, 1)), rdd.MemoryAndDisk2)
	})
	// It has a node before those of the job that it takes up, so that nodes which are alike have other places.
	numberedMore = rdd.Define("numbered more", func(of rdd.Bound[string]) rdd.Dataset[string] {
		return rdd.Union(rdd.Parallelize([]string{"x"}, 1), rdd.From(of))
	})
)

// describing lets a rig's jobs describe their stages.
func describing(cfg *Config) {
	cfg.Bus, cfg.Blocks, cfg.Listeners = cfg.Listeners[0], cfg.Listeners[0], nil
}

// described are the RDDs of the stages of all jobs.
func (r *rig) described() (out []string) {
	for _, j := range r.started {
		for _, g := range j.Infos {
			for _, d := range g.RDDs {
				text := fmt.Sprintf("job %d: %d %s of %v", j.JobID, d.ID, d.Op, d.Parents)
				if d.Level.Valid() {
					text += " " + d.Level.String()
				}
				if d.Barrier {
					text += " barrier"
				}
				out = append(out, text)
			}
		}
	}
	return out
}

func wantRDDs(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("RDDs\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// A persisted dataset has one number in all jobs, which is that of its blocks, and so has what it is made of. What is new gets the next
// numbers.
func TestAPersistedDatasetKeepsItsNumber(t *testing.T) {
	words := numberedWords.With([]string{"a"})
	r := newRigWith(t, nil, rdd.MemFS{}, describing)
	submit(r, words)
	submit(r, numberedMore.With(words))
	submit(r, words)
	for _, set := range r.sets {
		level := &storagepb.StorageLevel{UseMemory: true, UseDisk: true, Deserialized: true, Replication: 2}
		if p := set.Work.Persisted; len(p) != 1 || p[0].GetRddId() != 3 || !proto.Equal(p[0].GetLevel(), level) {
			t.Errorf("tasks keep %v", p)
		}
	}
	words0 := []string{": 3 Persist of [2] MEMORY_AND_DISK_2", ": 2 Union of [0 1]", ": 1 Parallelize of []", ": 0 Parallelize of []"}
	var want []string
	for job := range 3 {
		if job == 1 {
			want = append(want, "job 1: 5 Union of [4 3]")
		}
		for _, line := range words0 {
			want = append(want, fmt.Sprint("job ", job, line))
		}
		if job == 1 {
			want = append(want, "job 1: 4 Parallelize of []")
		}
	}
	wantRDDs(t, r.described(), want...)
}

// What was unpersisted gets another number when it is kept again: an earlier task may still bring a block.
func TestWhatIsKeptAgainGetsAnotherNumber(t *testing.T) {
	words := numberedWords.With([]string{"a"})
	inv, err := words.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	r := newRigWith(t, nil, rdd.MemFS{}, describing)
	submit(r, words)
	r.scheduler.Ask(r.ref, UnpersistRDDs{Keys: []string{inv.Lineage.Persisted()[0].Key}})
	r.Settle()
	submit(r, numberedMore.With(words))
	submit(r, words)
	got := r.described()
	wantRDDs(t, got[:1], "job 0: 3 Persist of [2] MEMORY_AND_DISK_2")
	wantRDDs(t, got[4:6], "job 1: 9 Union of [4 8]", "job 1: 8 Persist of [7] MEMORY_AND_DISK_2")
	wantRDDs(t, got[10:12], "job 2: 8 Persist of [2] MEMORY_AND_DISK_2", "job 2: 2 Union of [0 1]")
}

func TestTheRDDsOfABarrierStageAreMarked(t *testing.T) {
	r := barrierRig(t, nil, 2, describing)
	submit(r, meetsAndSums.With(0))
	wantRDDs(t, r.described(), "job 0: 2 Barrier of [1] barrier", "job 0: 1 Map of [0]", "job 0: 0 Range of []", "job 0: 3 ReduceByKey of [2]")
}

// Each RDD is described by its own number of partitions and by the number that its blocks have.
func TestRDDsAreDescribedByTheirOwnNumbers(t *testing.T) {
	r := busRig(t, func(c *Config) { c.Blocks = c.Bus })
	submit(r, numberedWords.With([]string{"a"}))
	submit(r, keptSums.With(0))
	r.scheduler.Ask(r.ref, UnpersistRDDs{Keys: []string{keyOfKept(t, keptSums.With(0))}})
	r.Settle()
	submit(r, keptSums.With(0))
	var got []string
	for _, m := range r.posted {
		if start, ok := m.(event.JobStart); ok {
			for _, d := range start.Infos[len(start.Infos)-1].RDDs {
				got = append(got, fmt.Sprintf("%d %s of %d", d.ID, d.Op, d.Partitions))
			}
		}
	}
	wantRDDs(t, got, "3 Persist of 2", "2 Union of 2", "1 Parallelize of 1", "0 Parallelize of 1",
		"7 Persist of 2", "6 ReduceByKey of 2", "8 Persist of 2", "6 ReduceByKey of 2")
}

// A dataset whose file has changed shares no number with what was kept of it.
func TestAFileThatChangedHasNewNumbers(t *testing.T) {
	file := versioned{rdd.MemFS{"text": []byte("a\nb\nc\n")}, new(int)}
	r := busRig(t, func(c *Config) { c.Blocks, c.FS = c.Bus, file })
	submit(r, keptFile.With("text"))
	*file.version++
	submit(r, keptFile.With("text"))
	var got []string
	for _, m := range r.posted {
		if start, ok := m.(event.JobStart); ok {
			for _, d := range start.Infos[0].RDDs {
				got = append(got, fmt.Sprintf("%d %s", d.ID, d.Op))
			}
		}
	}
	wantRDDs(t, got, "2 Map", "1 Persist", "0 TextFile", "5 Map", "4 Persist", "3 TextFile")
}
