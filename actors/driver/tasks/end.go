package tasks

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/messages/app"
)

// succeeded takes the result of an attempt. It mirrors TaskSetManager.handleSuccessfulTask.
func (a *attempt) succeeded(result *app.TaskResult, r Reason, now time.Time) {
	m, t := a.m, &a.m.states[a.index]
	if a.ended { // with its executor, while its result was fetched
		return
	}
	if t.done && a.unwanted {
		// It was faster than its kill.
		m.results--
		m.bytes -= size(result)
		a.failed(killed("Finish but did not commit due to another attempt succeeded"), now)
		return
	}
	a.ended, a.success, a.finished = true, true, now
	m.pace.finished(a, result, now)
	for other := t.last; other != nil; other = other.previous {
		if !other.ended {
			other.unwanted = true
			m.s.kill(other, true, "another attempt succeeded")
		}
	}
	m.complete(a.index)
	m.s.tell(a.completion(r, result))
	m.finish(now)
}

// failed takes the failure of an attempt: the task is tried again, or the set ends. It mirrors TaskSetManager.handleFailedTask.
func (a *attempt) failed(r Reason, now time.Time) {
	m, t := a.m, &a.m.states[a.index]
	if a.ended { // with its executor, while its result was fetched
		return
	}
	a.stopped()
	a.ended, a.finished = true, now
	t.copies--
	if r.Kind == KindFetchFailed {
		// The stage's next attempt follows, with the lost outputs computed again.
		if !t.done {
			t.done = true
			m.done++
		}
		m.zombie = true
		if from := r.Fetch.From; from != nil {
			m.s.excluded(m.s.health.FetchFailed(from.GetHost(), from.GetExecutorId(), now))
		}
	}
	if m.set.Barrier && !r.permanent() { // the others cannot go on without it
		m.zombie = true
	}
	m.s.tell(a.completion(r, nil))
	if r.permanent() {
		m.fail(a.permanentText(r), r, now)
		return
	}
	if !m.zombie && r.Counts {
		lost := fmt.Sprintf("Lost %s (%s executor %s): %s", a.name(), a.host, a.executor, r.Text)
		m.s.excluded(exclude.Outcome{Events: m.excluded.Failed(a.host, a.executor, int(a.index), lost, now)})
		t.failures++
		if t.failures >= m.s.cfg.MaxFailures {
			m.fail(fmt.Sprintf("Task %d in stage %s failed %d times, most recent failure: %s",
				a.index, m.set.ID, m.s.cfg.MaxFailures, lost), r, now)
			return
		}
	}
	if !t.done {
		m.addPending(a.index, false)
	}
	m.finish(now)
}

// permanentText is why a failure that each other try would meet ends the set.
func (a *attempt) permanentText(r Reason) string {
	switch r.Kind {
	case KindTaskTooLarge:
		return r.Text // as Spark has it
	case KindNotSerializable:
		return fmt.Sprintf("%s had a not serializable result: %s", a.name(), r.Text)
	case KindOutputFileExists:
		return fmt.Sprintf("Task %d.%d in stage %s (TID %d) can not write to output file: %s", a.index, a.number, a.m.set.ID, a.id, r.Text)
	default:
		return fmt.Sprintf("Task %d in stage %s failed, and each other try would fail alike: %s", a.index, a.m.set.ID, r.Text)
	}
}

// take counts a result; not "" when all results of the set together are too large. It mirrors TaskSetManager.canFetchMoreResults.
func (m *manager) take(result *app.TaskResult) string {
	m.bytes += size(result)
	m.results++
	limit := m.s.cfg.MaxResultSize
	// Map tasks bring statuses, not results. A zombie is over: its job must not fail a second time.
	if m.set.Work.Map || m.zombie && !m.s.cfg.Faults.AbortsTwice || limit == 0 || m.bytes <= limit {
		return ""
	}
	return fmt.Sprintf("Total size of serialized results of %d tasks (%s) is bigger than spark.driver.maxResultSize (%s)",
		m.results, byteText(m.bytes), byteText(limit))
}

// size of a result, also of one that is still at its executor.
func size(r *app.TaskResult) int64 { return max(int64(len(r.GetRecords())), r.GetSize()) }

// byteText is Spark's text of a size, as in "1281.0 B" and "1024.0 MiB" (Utils.bytesToString).
func byteText(n int64) string {
	units, at := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}, 0
	for at < len(units)-1 && n >= 2<<(10*(at+1)) {
		at++
	}
	return fmt.Sprintf("%.1f %s", float64(n)/float64(int64(1)<<(10*at)), units[at])
}

// name is Spark's: "task 0.0 in stage 0.0 (TID 0)".
func (a *attempt) name() string {
	return fmt.Sprintf("task %d.%d in stage %s (TID %d)", a.index, a.number, a.m.set.ID, a.id)
}

// completion reports the attempt's end.
func (a *attempt) completion(r Reason, result *app.TaskResult) CompletionEvent {
	return CompletionEvent{
		Set: a.m.set.ID, Index: a.index, Partition: a.m.set.Tasks[a.index].Partition, TaskID: a.id, Attempt: a.number,
		Executor: a.executor, Host: a.host, Epoch: a.m.set.Work.Epoch, Reason: r, Speculative: a.speculative, Result: result,
		Map: a.m.set.Work.Map, Level: a.level, Launched: a.started, GettingResult: a.getting, Finished: a.finished,
	}
}
