package builtin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/rdd"
)

// SleepArgs say how much a sleep job sleeps.
type SleepArgs struct {
	// Tasks is the number of tasks of each stage, --tasks.
	Tasks int
	// TaskTime is the pause of each task, --task-time.
	TaskTime time.Duration
	// Stages is the number of stages, --stages. Between two is a shuffle.
	Stages int
	// Barrier: the tasks of a stage start together, and wait for each other after their pauses, --barrier.
	Barrier bool
}

// Bounds of a user's demand: a map task keeps a block per reducer, and a lineage is checked by each task.
const (
	maxSleepTasks  = 1_000_000
	maxSleepStages = 1000
	maxSleepJobs   = 1000
)

// record is what a sleeping task handles: the number of its partition, and how many tasks slept for it.
type record = rdd.Pair[int64, int64]

// sleep is the job: one record a partition.
var sleep = rdd.Define("sleep", func(a SleepArgs) rdd.Dataset[record] {
	slept := rdd.Map(rdd.Range(0, int64(a.Tasks), a.Tasks), func(i int64) record { return rdd.PairOf(i, int64(0)) })
	for stage := range a.Stages {
		if stage > 0 { // a hash may deal a partition no key, and another two
			slept = onePerTask(rdd.ReduceByKey(slept, func(a, b int64) int64 { return a + b }, a.Tasks))
		}
		slept = rdd.Sleep(slept, func(record) time.Duration { return a.TaskTime })
		slept = rdd.Map(slept, func(r record) record { return rdd.PairOf(r.Key, r.Value+1) })
		if a.Barrier {
			slept = rdd.Barrier(slept, meet)
		}
	}
	return slept
})

// meet gives a task's record on when the others have theirs.
func meet(task rdd.BarrierTask, in iter.Seq[record]) iter.Seq[record] {
	records := slices.Collect(in)
	task.Barrier()
	return slices.Values(records)
}

// onePerTask makes one record of whatever keys a partition was dealt, so that each task sleeps once.
func onePerTask(d rdd.Dataset[record]) rdd.Dataset[record] {
	return rdd.MapPartitionsWithIndex(d, func(partition int, in iter.Seq[record]) iter.Seq[record] {
		return func(yield func(record) bool) {
			sum := int64(0)
			for r := range in {
				sum += r.Value
			}
			yield(rdd.PairOf(int64(partition), sum))
		}
	})
}

// Sleep is work that is no work: --stages stages of --tasks tasks that pause for --task-time each. With several numbers
// of tasks (--tasks 2,8,2) it is as many jobs, one after the other, --pause apart: a load that changes. It prints how many
// tasks slept, over all stages and jobs. With --save FOLDER the tasks of its last stage write what they did to a folder.
// With --barrier the tasks of each stage start together and wait for each other.
func Sleep(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	load, err := parseSleep(args)
	if err != nil {
		return fmt.Errorf("sleep: %w", err)
	}
	slept := int64(0)
	for i, job := range load.jobs {
		if i > 0 {
			if err := pause(ctx, a, load.pause); err != nil {
				return fmt.Errorf("sleep: between two jobs: %w", err)
			}
		}
		if load.save != "" {
			return saveSleep(ctx, a, job, load.save, out)
		}
		records, err := rdd.Collect(ctx, a, sleep.With(job))
		if err != nil {
			return fmt.Errorf("sleep: %w", err)
		}
		for _, r := range records {
			slept += r.Value
		}
	}
	_, err = fmt.Fprintf(out, "%d tasks slept\n", slept)
	return err
}

// saveSleep runs one job and saves its records: which task slept how often.
func saveSleep(ctx context.Context, a rdd.Runner, job SleepArgs, path string, out io.Writer) error {
	if err := rdd.SaveAsTextFile(ctx, a, sleep.With(job), path); err != nil {
		return fmt.Errorf("sleep: %w", err)
	}
	_, err := fmt.Fprintf(out, "%d tasks slept and saved to %s\n", job.Tasks*job.Stages, path)
	return err
}

// pauser is a Runner that has a time of its own, which an application is.
type pauser interface {
	Pause(ctx context.Context, d time.Duration) error
}

func pause(ctx context.Context, a rdd.Runner, d time.Duration) error {
	if p, ok := a.(pauser); ok && d > 0 {
		return p.Pause(ctx, d)
	}
	return ctx.Err()
}

// load is the jobs of one call, and how long the driver does nothing between two.
type load struct {
	jobs  []SleepArgs
	pause time.Duration
	save  string // the folder to make; "": none
}

const sleepUsage = "it takes --tasks N[,N...] --task-time DURATION --stages K --pause DURATION --save FOLDER --barrier"

func parseSleep(args []string) (load, error) {
	a, l, tasks := SleepArgs{TaskTime: 10 * time.Millisecond, Stages: 1}, load{}, "2"
	f := flag.NewFlagSet("sleep", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&tasks, "tasks", tasks, "")
	f.DurationVar(&a.TaskTime, "task-time", a.TaskTime, "")
	f.IntVar(&a.Stages, "stages", a.Stages, "")
	f.DurationVar(&l.pause, "pause", 0, "")
	f.BoolVar(&a.Barrier, "barrier", false, "")
	f.StringVar(&l.save, "save", "", "")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return l, errors.New(sleepUsage)
	case err != nil:
		return l, fmt.Errorf("%w: %s", err, sleepUsage)
	case f.NArg() > 0:
		return l, fmt.Errorf("unknown argument %q: %s", f.Arg(0), sleepUsage)
	case l.pause < 0:
		return l, fmt.Errorf("--pause is %s: give a duration such as 10s", l.pause)
	}
	// All jobs have the same time and stages; only the number of tasks is a list.
	for n := range strings.SplitSeq(tasks, ",") {
		if a.Tasks, err = strconv.Atoi(n); err != nil {
			return l, fmt.Errorf("--tasks is %q: give a number, or some with commas between", tasks)
		}
		if err := a.validate(); err != nil {
			return l, err
		}
		if l.jobs = append(l.jobs, a); len(l.jobs) > maxSleepJobs {
			return l, fmt.Errorf("--tasks has more than %d numbers", maxSleepJobs)
		}
	}
	if l.save != "" && len(l.jobs) > 1 {
		return l, fmt.Errorf("--tasks has %d numbers with --save, which one job makes: give one number", len(l.jobs))
	}
	return l, nil
}

// validate reports everything that is wrong at once.
func (a SleepArgs) validate() error {
	var errs []error
	if a.Tasks < 1 || a.Tasks > maxSleepTasks {
		errs = append(errs, fmt.Errorf("--tasks is %d: give 1 to %d", a.Tasks, maxSleepTasks))
	}
	if a.TaskTime < 0 {
		errs = append(errs, fmt.Errorf("--task-time is %s: give a duration such as 10ms", a.TaskTime))
	}
	if a.Stages < 1 || a.Stages > maxSleepStages {
		errs = append(errs, fmt.Errorf("--stages is %d: give 1 to %d", a.Stages, maxSleepStages))
	}
	return errors.Join(errs...)
}
