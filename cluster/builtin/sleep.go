package builtin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
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
}

// Bounds of what a user may ask for: a map task keeps a block per reducer, and a lineage is checked by each task.
const (
	maxSleepTasks  = 100_000
	maxSleepStages = 1000
)

// record is what a sleeping task handles: the number of its partition, and how many tasks slept for it.
type record = rdd.Pair[int64, int64]

// sleep is the job: one record a partition.
var sleep = rdd.Define("sleep", func(a SleepArgs) rdd.Dataset[record] {
	slept := rdd.Map(rdd.Range(0, int64(a.Tasks), a.Tasks), func(i int64) record { return rdd.PairOf(i, int64(0)) })
	for stage := range a.Stages {
		if stage > 0 {
			slept = onePerTask(rdd.ReduceByKey(slept, func(a, b int64) int64 { return a + b }, a.Tasks))
		}
		slept = rdd.Sleep(slept, func(record) time.Duration { return a.TaskTime })
		slept = rdd.Map(slept, func(r record) record { return rdd.PairOf(r.Key, r.Value+1) })
	}
	return slept
})

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

// Sleep is work that is no work: --stages stages of --tasks tasks that pause for --task-time each. It prints how many tasks
// slept, over all stages.
func Sleep(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	job, err := parseSleep(args)
	if err != nil {
		return fmt.Errorf("sleep: %w", err)
	}
	records, err := rdd.Collect(ctx, a, sleep.With(job))
	if err != nil {
		return fmt.Errorf("sleep: %w", err)
	}
	slept := int64(0)
	for _, r := range records {
		slept += r.Value
	}
	_, err = fmt.Fprintf(out, "%d tasks slept\n", slept)
	return err
}

func parseSleep(args []string) (SleepArgs, error) {
	a := SleepArgs{Tasks: 2, TaskTime: 10 * time.Millisecond, Stages: 1}
	f := flag.NewFlagSet("sleep", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&a.Tasks, "tasks", a.Tasks, "")
	f.DurationVar(&a.TaskTime, "task-time", a.TaskTime, "")
	f.IntVar(&a.Stages, "stages", a.Stages, "")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		err = errors.New("it takes --tasks N --task-time DURATION --stages K")
	case err != nil:
		err = fmt.Errorf("%w: it takes --tasks N --task-time DURATION --stages K", err)
	case f.NArg() > 0:
		err = fmt.Errorf("unknown argument %q: it takes --tasks N --task-time DURATION --stages K", f.Arg(0))
	default:
		err = a.validate()
	}
	return a, err
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
