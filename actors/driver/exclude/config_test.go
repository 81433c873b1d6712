package exclude

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

func settings(t *testing.T, pairs ...string) *conf.Conf {
	t.Helper()
	m := map[string]string{}
	for _, p := range pairs {
		key, value, _ := strings.Cut(p, "=")
		m["spark."+key] = value
	}
	c, err := conf.New(m, Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheSettingsHaveNoMistake(t *testing.T) {
	if err := errors.Join(Settings.Faults()...); err != nil {
		t.Error(err)
	}
}

// The setting of a level counts before that of all levels; off is the default.
func TestWhichLevelsAreOn(t *testing.T) {
	for _, k := range []struct {
		settings string
		app, set bool
	}{
		{"", false, false},
		{"excludeOnFailure.enabled=true", true, true},
		{"excludeOnFailure.enabled=false", false, false},
		{"excludeOnFailure.application.enabled=true", true, false},
		{"excludeOnFailure.taskAndStage.enabled=true", false, true},
		{"excludeOnFailure.enabled=true excludeOnFailure.application.enabled=false", false, true},
		{"excludeOnFailure.enabled=true excludeOnFailure.taskAndStage.enabled=false", true, false},
		{"excludeOnFailure.enabled=false excludeOnFailure.application.enabled=true excludeOnFailure.taskAndStage.enabled=true", true, true},
		{"blacklist.enabled=true", true, true},
		{"blacklist.enabled=true excludeOnFailure.enabled=false", false, false},
		{"scheduler.executorTaskExcludeOnFailureTime=1", true, false},
		{"scheduler.executorTaskBlacklistTime=1", true, false},
		{"scheduler.executorTaskBlacklistTime=0", false, false},
		{"scheduler.executorTaskBlacklistTime=1 blacklist.enabled=false", false, false},
	} {
		cfg, err := NewConfig(settings(t, strings.Fields(k.settings)...), 4, false)
		if err != nil || cfg.Application != k.app || cfg.TaskAndStage != k.set {
			t.Errorf("%s: %+v, %v", k.settings, cfg, err)
		}
		if (NewTracker(cfg) != nil) != k.app || (NewSet(cfg, 0, 0) != nil) != (k.app || k.set) {
			t.Errorf("%s: tracker %v, set %v", k.settings, NewTracker(cfg), NewSet(cfg, 0, 0))
		}
	}
}

func TestTheDefaults(t *testing.T) {
	cfg, err := NewConfig(settings(t), 4, true)
	if want := (Config{false, false, 1, 2, 2, 2, 2, 2, time.Hour, false, false, false, true}); err != nil || cfg != want {
		t.Errorf("got %+v, %v; want %+v", cfg, err, want)
	}
}

func TestEachSettingCounts(t *testing.T) {
	cfg, err := NewConfig(settings(t, "excludeOnFailure.enabled=true", "excludeOnFailure.task.maxTaskAttemptsPerExecutor=3",
		"excludeOnFailure.task.maxTaskAttemptsPerNode=4", "excludeOnFailure.stage.maxFailedTasksPerExecutor=5",
		"excludeOnFailure.stage.maxFailedExecutorsPerNode=6", "excludeOnFailure.application.maxFailedTasksPerExecutor=7",
		"excludeOnFailure.application.maxFailedExecutorsPerNode=8", "excludeOnFailure.timeout=9s",
		"excludeOnFailure.killExcludedExecutors=true", "excludeOnFailure.killExcludedExecutors.decommission=true",
		"excludeOnFailure.application.fetchFailure.enabled=true"), 5, false)
	if want := (Config{true, true, 3, 4, 5, 6, 7, 8, 9 * time.Second, true, true, true, false}); err != nil || cfg != want {
		t.Errorf("got %+v, %v; want %+v", cfg, err, want)
	}
}

// The names that the settings had before Spark 3.1 still do.
func TestOlderNames(t *testing.T) {
	c := settings(t, "blacklist.enabled=true", "blacklist.task.maxTaskAttemptsPerExecutor=3", "blacklist.task.maxTaskAttemptsPerNode=4",
		"blacklist.stage.maxFailedTasksPerExecutor=5", "blacklist.stage.maxFailedExecutorsPerNode=6",
		"blacklist.application.maxFailedTasksPerExecutor=7", "blacklist.application.maxFailedExecutorsPerNode=8", "blacklist.timeout=9s",
		"blacklist.killBlacklistedExecutors=true", "blacklist.application.fetchFailure.enabled=true",
		"scheduler.blacklist.unschedulableTaskSetTimeout=11s")
	cfg, err := NewConfig(c, 5, false)
	if want := (Config{true, true, 3, 4, 5, 6, 7, 8, 9 * time.Second, true, false, true, false}); err != nil || cfg != want {
		t.Errorf("got %+v, %v; want %+v", cfg, err, want)
	}
	if got := UnschedulableTimeout.Get(c); got != 11*time.Second || len(c.Warnings()) != 11 {
		t.Errorf("%s, %q", got, c.Warnings())
	}
}

// Of the two settings of how long, the newer counts; the older may be 0, which excludes nobody.
func TestHowLong(t *testing.T) {
	for _, k := range []struct {
		settings string
		want     time.Duration
		wrong    string
	}{
		{"", time.Hour, ""},
		{"excludeOnFailure.timeout=2s scheduler.executorTaskExcludeOnFailureTime=3s", 2 * time.Second, ""},
		{"scheduler.executorTaskExcludeOnFailureTime=3s", 3 * time.Second, ""},
		{"scheduler.executorTaskBlacklistTime=0", 0, ""},
		{"scheduler.executorTaskBlacklistTime=0 excludeOnFailure.enabled=true", 0, "spark.scheduler.executorTaskBlacklistTime was 0, but must be > 0: set spark.excludeOnFailure.timeout"},
	} {
		cfg, err := NewConfig(settings(t, strings.Fields(k.settings)...), 4, false)
		if cfg.Timeout != k.want || (err != nil || k.wrong != "") && (err == nil || err.Error() != k.wrong) {
			t.Errorf("%s: %s, %v", k.settings, cfg.Timeout, err)
		}
	}
}

// A task must be tried on a second node before its failures end the job.
func TestATaskIsTriedOnASecondNode(t *testing.T) {
	for _, k := range []struct {
		settings    string
		maxFailures int
		wrong       bool
	}{
		{"excludeOnFailure.enabled=true", 2, true},
		{"excludeOnFailure.enabled=true", 3, false},
		{"excludeOnFailure.application.enabled=true", 1, true},
		{"excludeOnFailure.taskAndStage.enabled=true", 2, true},
		{"excludeOnFailure.enabled=false", 1, false},
	} {
		_, err := NewConfig(settings(t, k.settings), k.maxFailures, false)
		if (err != nil) != k.wrong {
			t.Errorf("%s of %d: %v", k.settings, k.maxFailures, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "spark.excludeOnFailure.task.maxTaskAttemptsPerNode ( = 2) was >= spark.task.maxFailures ( = ") {
			t.Error(err)
		}
	}
}
