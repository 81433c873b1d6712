package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
)

func goldenExclude(c *goldenCase) exclude.Config {
	number := func(key string, or int) int { return setting(c, "spark.excludeOnFailure."+key, or, strconv.Atoi) }
	yes := func(key string, or bool) bool { return setting(c, key, or, strconv.ParseBool) }
	all := yes("spark.excludeOnFailure.enabled", false)
	return exclude.Config{
		Application:                 yes("spark.excludeOnFailure.application.enabled", all),
		TaskAndStage:                yes("spark.excludeOnFailure.taskAndStage.enabled", all),
		TaskAttemptsPerExecutor:     number("task.maxTaskAttemptsPerExecutor", 1),
		TaskAttemptsPerNode:         number("task.maxTaskAttemptsPerNode", 2),
		StageTasksPerExecutor:       number("stage.maxFailedTasksPerExecutor", 2),
		StageExecutorsPerNode:       number("stage.maxFailedExecutorsPerNode", 2),
		ApplicationTasksPerExecutor: number("application.maxFailedTasksPerExecutor", 2),
		ApplicationExecutorsPerNode: number("application.maxFailedExecutorsPerNode", 2),
		Timeout:                     setting(c, "spark.excludeOnFailure.timeout", time.Hour, span(time.Millisecond)),
		Kill:                        yes("spark.excludeOnFailure.killExcludedExecutors", false),
		Decommission:                yes("spark.excludeOnFailure.killExcludedExecutors.decommission", false),
		FetchFailure:                yes("spark.excludeOnFailure.application.fetchFailure.enabled", false),
		ShuffleService:              yes("spark.shuffle.service.enabled", false),
	}
}

// killTexts are the calls of Spark's ExecutorAllocationClient.
func killTexts(kills []exclude.Kill) []string {
	var out []string
	for _, k := range kills {
		switch {
		case k.Node != "" && k.Decommission:
			out = append(out, "decommissionHost "+k.Node)
		case k.Node != "":
			out = append(out, "killHost "+k.Node)
		case k.Decommission:
			out = append(out, fmt.Sprintf("decommission %s adjust=false byDriver=false", k.Executor))
		default:
			out = append(out, fmt.Sprintf("kill %s adjust=false count=false force=true", k.Executor))
		}
	}
	return out
}

// exclusionChanges puts what is excluded now, and was not after the last event, into out.
func (p *player) exclusionChanges(out map[string]any) {
	app := map[string]any{"execs": map[string]int64{}, "nodes": map[string]int64{}}
	for _, x := range p.s.health.Exclusions() {
		if x.Node != "" {
			app["nodes"].(map[string]int64)[x.Node] = x.Until
		} else {
			app["execs"].(map[string]int64)[x.Executor] = x.Until
		}
	}
	p.change(out, "appExcluded", app)
	sets := map[string]any{}
	aborts := map[string]int64{}
	for _, m := range p.sets {
		id := m.set.ID.String()
		if seen := map[string]any{}; p.change(seen, "setExcluded "+id, p.excludedOf(m)) {
			sets[id] = seen["setExcluded "+id]
		}
		if !m.abort.IsZero() {
			aborts[id] = m.abort.UnixMilli()
		}
	}
	if len(sets) > 0 {
		out["setExcluded"] = sets
	}
	p.change(out, "unschedulable", aborts)
}

// change puts a value into out if it differs from the last one; the first one is compared with an empty one.
func (p *player) change(out map[string]any, key string, value any) bool {
	text := fmt.Sprint(value)
	last, seen := p.lastText[key]
	p.lastText[key] = text
	if text == last || !seen && strings.Trim(text, "map[]exscnodtk: ") == "" {
		return false
	}
	out[key] = value
	return true
}

// excludedOf is what a set excludes of all that was ever offered.
func (p *player) excludedOf(m *manager) map[string]any {
	hosts := slices.Sorted(maps.Values(p.offered))
	hosts = slices.Compact(hosts)
	executors := slices.Sorted(maps.Keys(p.offered))
	filter := func(names []string, excluded func(string) bool) []string {
		out := []string{}
		for _, n := range names {
			if excluded(n) {
				out = append(out, n)
			}
		}
		return out
	}
	byTask := map[string]any{}
	for i := range m.states {
		execs := filter(executors, func(e string) bool { return m.excluded.ExecutorForTask(e, i) })
		nodes := filter(hosts, func(h string) bool { return m.excluded.NodeForTask(h, i) })
		if len(execs)+len(nodes) > 0 {
			byTask[strconv.Itoa(i)] = map[string]any{"execs": execs, "nodes": nodes}
		}
	}
	return map[string]any{
		"execs": filter(executors, m.excluded.Executor), "nodes": filter(hosts, m.excluded.Node), "tasks": byTask,
	}
}
