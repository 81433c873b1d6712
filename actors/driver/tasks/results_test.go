package tasks

import (
	"testing"

	"github.com/coherer/coherer/messages/app"
)

// indirect is a result of so many bytes that lies at its executor.
func indirect(size int64) *app.TaskResult { return &app.TaskResult{Size: size} }

// An attempt whose result is being fetched runs no more, and its task is not done.
func TestAResultCountsWhenItIsFetched(t *testing.T) {
	p := pool(newSet(0, 0, 0, 2))
	p.Offers(at{{"a", "h", 2}}, inOrder)
	if e := p.Scheduler.Update(0, app.TaskState_FINISHED, indirect(5), nil, p.now); !e.Fetch || len(e.DAG) != 0 {
		t.Errorf("%+v", e)
	}
	if p.Known(0, "a") {
		t.Error("a second report of the attempt would be taken")
	}
	want(t, names(p.Offers(at{{"a", "h", 1}}, inOrder)))
	r := indirect(5)
	e := p.Fetched(0, r, p.now)
	want(t, texts(e.DAG), "Success 0.0 of 0.0")
	if e.Fetch || e.DAG[0].(CompletionEvent).Result != r {
		t.Errorf("%+v", e)
	}
	if len(p.getting) > 0 {
		t.Error("it is still waited for")
	}
	if again := p.Fetched(0, r, p.now); len(again.DAG) != 0 {
		t.Errorf("it counts twice: %v", again.DAG)
	}
}

// The limit of all results counts the size before the fetch, and once.
func TestSizesOfIndirectResultsCountBeforeTheFetch(t *testing.T) {
	p := pool(newSet(0, 0, 0, 3))
	p.cfg.MaxResultSize = 10
	p.Offers(at{{"a", "h", 3}}, inOrder)
	p.Update(0, app.TaskState_FINISHED, indirect(5), nil)
	p.Fetched(0, &app.TaskResult{Size: 5, Records: make([]byte, 5)}, p.now)
	if e := p.Scheduler.Update(1, app.TaskState_FINISHED, indirect(5), nil, p.now); !e.Fetch || len(e.DAG) != 0 {
		t.Errorf("10 bytes of 10: %+v", e)
	}
	if e := p.Scheduler.Update(2, app.TaskState_FINISHED, indirect(1), nil, p.now); e.Fetch || len(e.DAG) != 2 {
		t.Errorf("11 bytes of 10: %+v", e)
	}
}

// The executor is lost while its result is fetched: the task runs again, and what comes of the fetch changes nothing.
func TestAnExecutorLostWhileItsResultIsFetched(t *testing.T) {
	for _, came := range []*app.TaskResult{nil, indirect(5)} {
		p := pool(newSet(0, 0, 0, 1))
		p.Offers(at{{"a", "h", 1}}, inOrder)
		p.runs(0)
		p.Update(0, app.TaskState_FINISHED, indirect(5), nil)
		want(t, texts(p.ExecutorLost("a", Loss{CausedByApp: true})), "ExecutorLostFailure 0.0 of 0.0")
		want(t, texts(p.Fetched(0, came, p.now).DAG))
		want(t, names(p.Offers(at{{"b", "g", 1}}, inOrder)), "b: task 0.1 in stage 0.0 (TID 1)")
	}
}

// A result that is lost makes its task run again, at once.
func TestALostResultRevivesOffers(t *testing.T) {
	p := pool(newSet(0, 0, 0, 1))
	p.Offers(at{{"a", "h", 1}}, inOrder)
	p.Update(0, app.TaskState_FINISHED, indirect(5), nil)
	e := p.Fetched(0, nil, p.now)
	want(t, texts(e.DAG), "TaskResultLost 0.0 of 0.0")
	if !e.Revive {
		t.Error("free cores are not offered again")
	}
}
