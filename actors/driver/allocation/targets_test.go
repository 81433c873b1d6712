package allocation_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/rpcenv/conf"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func settings(t *testing.T, values map[string]string) allocation.Config {
	t.Helper()
	s, err := read(t, values)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, values map[string]string) (allocation.Config, error) {
	t.Helper()
	all := map[string]string{"spark.dynamicAllocation.enabled": "true"}
	maps.Copy(all, values)
	c, err := conf.New(all)
	if err != nil {
		t.Fatal(err)
	}
	return allocation.NewConfig(c)
}

// grown are the targets, one a second, while so many tasks wait.
func grown(s allocation.Config, tasks, seconds int) []int {
	targets := allocation.NewTargets(s)
	targets.Begin()
	targets.Backlogged(start)
	var out []int
	for i := 1; i <= seconds; i++ {
		now := start.Add(time.Duration(i) * time.Second)
		if u, changed := targets.Next(now, s.Needed(tasks), targets.Target()); changed {
			targets.Acknowledged(u)
		}
		out = append(out, targets.Target())
	}
	return out
}

// TestTargetsGrow by 1, 2, 4, ... each second until the need is met, never beyond the greatest number.
func TestTargetsGrow(t *testing.T) {
	for _, c := range []struct {
		name   string
		conf   map[string]string
		tasks  int
		want   []int
		second int
	}{
		{"doubling", nil, 100, []int{1, 3, 7, 15, 31, 63, 100, 100}, 8},
		{"to the need", nil, 5, []int{1, 3, 5, 5}, 4},
		{"to the greatest", map[string]string{"spark.dynamicAllocation.maxExecutors": "4"}, 100, []int{1, 3, 4, 4}, 4},
		{"from the least", map[string]string{"spark.dynamicAllocation.minExecutors": "2"}, 9, []int{3, 5, 9, 9}, 4},
		{"half of full parallelism", map[string]string{"spark.dynamicAllocation.executorAllocationRatio": "0.5"}, 10, []int{1, 3, 5, 5}, 4},
		{"two tasks an executor", map[string]string{"spark.executor.cores": "4", "spark.task.cpus": "2"}, 9, []int{1, 3, 5, 5}, 4},
		{"sustained time-out", map[string]string{"spark.dynamicAllocation.sustainedSchedulerBacklogTimeout": "3s"}, 100, []int{1, 1, 1, 3, 3, 3, 7}, 7},
	} {
		if got := grown(settings(t, c.conf), c.tasks, c.second); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestTargetsFall to the need at once, not below the least number, and the next growth begins at one.
func TestTargetsFall(t *testing.T) {
	s := settings(t, map[string]string{"spark.dynamicAllocation.minExecutors": "1", "spark.dynamicAllocation.initialExecutors": "8"})
	targets := allocation.NewTargets(s)
	if _, changed := targets.Next(start, 0, 8); changed {
		t.Error("the target fell before the application began to work")
	}
	targets.Begin()
	if u, changed := targets.Next(start, 3, 8); !changed || u != (allocation.Update{Old: 8, New: 3}) {
		t.Errorf("%v %v, want from 8 to 3", u, changed)
	}
	targets.Acknowledged(allocation.Update{Old: 8, New: 3})
	if u, changed := targets.Next(start.Add(time.Hour), 3, 8); changed {
		t.Errorf("%v, though nothing waits", u)
	}
	if u, _ := targets.Next(start, 0, 8); u.New != 1 {
		t.Errorf("fell to %d, want the least number 1", u.New)
	}
}

// step takes the change of a target at so many seconds, and says it.
func step(targets *allocation.Targets, second float64, needed int) int {
	u, changed := targets.Next(start.Add(time.Duration(second*float64(time.Second))), needed, targets.Target())
	if changed {
		targets.Acknowledged(u)
	}
	return targets.Target()
}

// TestTheNextStepIsOneAgain after each step that was not taken whole.
func TestTheNextStepIsOneAgain(t *testing.T) {
	type look struct {
		second     float64
		need, want int
	}
	for _, c := range []struct {
		name  string
		looks []look
	}{
		{"the need took less", []look{{1, 9, 1}, {2, 2, 2}, {3, 9, 3}}},
		{"the need took nothing", []look{{1, 9, 1}, {2, 9, 3}, {3, 3, 3}, {3.1, 9, 4}}},
		{"the need fell", []look{{1, 9, 1}, {2, 9, 3}, {2.1, 2, 2}, {3, 9, 3}}},
		{"the need is met, and that is no fall", []look{{1, 9, 1}, {2, 9, 3}, {2.1, 3, 3}, {3, 9, 7}}},
	} {
		targets := allocation.NewTargets(settings(t, nil))
		targets.Begin()
		targets.Backlogged(start)
		for _, l := range c.looks {
			if got := step(&targets, l.second, l.need); got != l.want {
				t.Errorf("%s: target %d after %v s, want %d", c.name, got, l.second, l.want)
			}
		}
	}
}

// TestTheNextBacklogBeginsAtOne, and counts from its own begin.
func TestTheNextBacklogBeginsAtOne(t *testing.T) {
	targets := allocation.NewTargets(settings(t, nil))
	targets.Begin()
	targets.Backlogged(start)
	step(&targets, 1, 9)
	step(&targets, 2, 9)
	targets.QueueEmpty()
	targets.Backlogged(start.Add(2500 * time.Millisecond))
	targets.Backlogged(start.Add(3 * time.Second)) // is known
	if got := step(&targets, 3.4, 9); got != 3 {
		t.Errorf("target %d before the backlog's second is over", got)
	}
	if got := step(&targets, 3.5, 9); got != 4 {
		t.Errorf("target %d, want one more", got)
	}
}

// TestATargetThatWasRefusedIsTakenBack.
func TestATargetThatWasRefusedIsTakenBack(t *testing.T) {
	targets := allocation.NewTargets(settings(t, nil))
	targets.Begin()
	targets.Backlogged(start)
	for range 3 {
		u, changed := targets.Next(start.Add(time.Second), 10, 0)
		if !changed || u != (allocation.Update{Old: 0, New: 1}) {
			t.Fatalf("%v %v, want the same step each time", u, changed)
		}
		targets.Refused(u)
	}
}

// TestAnAnswerThatComesAfterItsBacklog does not make the step of the next one larger.
func TestAnAnswerThatComesAfterItsBacklog(t *testing.T) {
	targets := allocation.NewTargets(settings(t, nil))
	targets.Begin()
	targets.Backlogged(start)
	first, _ := targets.Next(start.Add(time.Second), 10, 0)
	targets.QueueEmpty()
	targets.Backlogged(start.Add(2 * time.Second))
	targets.Acknowledged(first)
	if u, changed := targets.Next(start.Add(2500*time.Millisecond), 10, 0); changed {
		t.Errorf("%v half a second after the backlog began", u)
	}
	if u, _ := targets.Next(start.Add(3*time.Second), 10, 0); u != (allocation.Update{Old: 1, New: 2}) {
		t.Errorf("%v, want a step of one", u)
	}
}

// TestGrowthBeginsAtWhatIsThere when more executors run than were wanted.
func TestGrowthBeginsAtWhatIsThere(t *testing.T) {
	targets := allocation.NewTargets(settings(t, nil))
	targets.Begin()
	targets.Backlogged(start)
	if u, _ := targets.Next(start.Add(time.Second), 10, 4); u.New != 5 {
		t.Errorf("target %d, want 4 that run and 1", u.New)
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		conf map[string]string
		want string // "" is good
	}{
		{nil, ""},
		{map[string]string{"spark.dynamicAllocation.minExecutors": "2", "spark.dynamicAllocation.maxExecutors": "2"}, ""},
		{map[string]string{"spark.dynamicAllocation.cachedExecutorIdleTimeout": "10s"}, ""},
		{
			map[string]string{"spark.dynamicAllocation.minExecutors": "3", "spark.dynamicAllocation.maxExecutors": "2"},
			"spark.dynamicAllocation.minExecutors (3) must be less than or equal to spark.dynamicAllocation.maxExecutors (2)",
		},
		{map[string]string{"spark.dynamicAllocation.maxExecutors": "0"}, "maxExecutors must be positive"},
		{map[string]string{"spark.dynamicAllocation.initialExecutors": "3", "spark.dynamicAllocation.maxExecutors": "2"}, "initial executor number 3"},
		{map[string]string{"spark.executor.instances": "3", "spark.dynamicAllocation.maxExecutors": "2"}, "initial executor number 3"},
		{map[string]string{"spark.dynamicAllocation.shuffleTracking.enabled": "false"}, "shuffleTracking"},
		{map[string]string{"spark.dynamicAllocation.shuffleTracking.enabled": "false", "spark.shuffle.service.enabled": "true"}, ""},
		{map[string]string{"spark.dynamicAllocation.minExecutors": "2", "spark.dynamicAllocation.initialExecutors": "1"}, ""},
		{map[string]string{"spark.dynamicAllocation.shuffleTracking.timeout": "10s"}, ""},
	} {
		_, err := read(t, c.conf)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v: %v, want %q", c.conf, err, c.want)
		}
	}
}

// TestInitialTarget is the largest of three settings with dynamic allocation, and spark.executor.instances or 2 without.
func TestInitialTarget(t *testing.T) {
	for _, c := range []struct {
		conf map[string]string
		want int
	}{
		{nil, 2},
		{map[string]string{"spark.executor.instances": "5"}, 5},
		{map[string]string{"spark.dynamicAllocation.enabled": "true"}, 0},
		{map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.minExecutors": "3"}, 3},
		{map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "4", "spark.executor.instances": "6"}, 6},
		{map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.minExecutors": "3", "spark.dynamicAllocation.initialExecutors": "1"}, 3},
	} {
		s, err := conf.New(c.conf)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := allocation.InitialTarget(s); err != nil || got != c.want {
			t.Errorf("%v: %d %v, want %d", c.conf, got, err, c.want)
		}
	}
}
