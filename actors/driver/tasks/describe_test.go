package tasks

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

// described has two tasks whose every field differs from its zero value and from its neighbours.
func described() Set {
	return Set{
		ID: SetID{Stage: 3, Attempt: 2}, Job: 1,
		Tasks: []Task{{Partition: 5, Split: []byte("five")}, {Partition: 8, Split: []byte("eight")}},
		Work: Work{
			Job: "words", Args: []byte("args"), Digest: "digest", Node: 4, Shuffle: 6, Shuffles: []int32{6, 7}, Action: "collect", Epoch: 9,
		},
	}
}

// The executor learns of its task from the description alone.
func TestADescriptionHasAllThatTheSetSaysOfATask(t *testing.T) {
	for _, writes := range []bool{false, true} {
		s := described()
		s.Work.Map = writes
		want := &app.TaskDescription{
			TaskId: 1, AttemptNumber: 0, ExecutorId: "b", Name: "task 1.0 in stage 3.2 (TID 1)", Index: 1, PartitionId: 8,
			StageId: 3, StageAttempt: 2, Job: "words", JobArgs: []byte("args"), JobDigest: "digest", Node: 4, Shuffles: []int32{6, 7},
			Epoch: 9, Split: []byte("eight"), Cpus: 1,
		}
		if writes {
			want.ShuffleId = new(int32(6))
		} else {
			want.Action = "collect"
		}
		got := pool(s).Offers(at{{"a", "ha", 1}, {"b", "hb", 1}}, inOrder)
		if len(got) != 2 || !proto.Equal(got[1].Description, want) {
			t.Errorf("map %v: got\n%v\nwant\n%v", writes, got, want)
		}
	}
}

// What DAGScheduler hears of an end says which attempt it was, where, of which epoch, and what it brought.
func TestTheEndOfAnAttemptSaysWhichItWas(t *testing.T) {
	p := pool(described())
	p.Offers(at{{"a", "ha", 2}}, inOrder)
	p.fail(1, KindExceptionFailure)
	p.Offers(at{{"b", "hb", 1}}, inOrder)
	want := CompletionEvent{
		Set: SetID{Stage: 3, Attempt: 2}, Index: 1, Partition: 8, TaskID: 2, Attempt: 1, Executor: "b", Host: "hb", Epoch: 9,
		Reason: Reason{Kind: KindSuccess}, Result: mapped(), Level: ProcessLocal, Launched: p.now, Finished: p.now,
	}
	if got := p.finish(2); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// The name says where the attempt failed; the description of the next attempt has the next number.
func TestTheFailureOfASetNamesItsLastAttempt(t *testing.T) {
	p := newKit(1, Config{MaxFailures: 2})
	p.Submit(described())
	p.Offers(at{{"a", "ha", 2}}, inOrder)
	p.fail(1, KindExceptionFailure)
	if l := p.Offers(at{{"b", "hb", 1}}, inOrder); len(l) != 1 || l[0].Description.GetAttemptNumber() != 1 {
		t.Fatalf("%v", l)
	}
	got := p.fail(2, KindExceptionFailure)
	want := TaskSetFailed{
		Set: SetID{Stage: 3, Attempt: 2},
		Reason: "Task 1 in stage 3.2 failed 2 times, most recent failure: Lost task 1.1 in stage 3.2 (TID 2) " +
			"(hb executor b): m",
		Cause: Reason{Kind: KindExceptionFailure, Text: "m", Detail: "m", Counts: true},
	}
	if len(got) != 2 || !reflect.DeepEqual(got[1], want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// A report's meaning, in Spark's words, and whether it is one of the failures that end a set.
func TestWhatAReportMeans(t *testing.T) {
	at := &storage.BlockManagerId{ExecutorId: "2", Host: "h", Port: 7}
	for _, k := range []struct {
		name    string
		state   app.TaskState
		writes  bool
		result  *app.TaskResult
		failure *app.TaskFailure
		want    Reason
	}{
		{"a result", app.TaskState_FINISHED, false, &app.TaskResult{}, nil, Reason{Kind: KindSuccess}},
		{"a map output", app.TaskState_FINISHED, true, mapped(), nil, Reason{Kind: KindSuccess}},
		{
			"no result", app.TaskState_FINISHED, false, nil, nil,
			Reason{Kind: KindTaskResultLost, Text: "TaskResultLost (result lost from block manager)", Counts: true},
		},
		{
			"no map output", app.TaskState_FINISHED, true, &app.TaskResult{}, nil,
			Reason{Kind: KindTaskResultLost, Text: "TaskResultLost (result lost from block manager)", Counts: true},
		},
		{
			"killed", app.TaskState_KILLED, false, nil, &app.TaskFailure{Kind: "?", Message: "why"},
			Reason{Kind: KindTaskKilled, Text: "TaskKilled (why)", Detail: "why"},
		},
		{
			"failed as it was killed", app.TaskState_FAILED, false, nil, &app.TaskFailure{Kind: KindTaskKilled, Message: "why"},
			Reason{Kind: KindTaskKilled, Text: "TaskKilled (why)", Detail: "why"},
		},
		{"no reason", app.TaskState_TASK_LOST, false, nil, nil, Reason{Kind: KindUnknownReason, Text: "UnknownReason", Counts: true}},
		{
			"another lineage", app.TaskState_FAILED, false, nil, &app.TaskFailure{Kind: KindLineageDiffers, Message: "how", Lineage: []string{"job", "line"}},
			Reason{Kind: KindLineageDiffers, Text: "how", Counts: true, Lineage: "job\nline"},
		},
		{
			"an exception", app.TaskState_FAILED, false, nil, &app.TaskFailure{Kind: KindExceptionFailure, Message: "what", Stack: "where"},
			Reason{Kind: KindExceptionFailure, Text: "what\nwhere", Detail: "what", Stack: "where", Counts: true},
		},
		{
			"an exception without a stack", app.TaskState_FAILED, false, nil, &app.TaskFailure{Kind: "?", Message: "what"},
			Reason{Kind: KindExceptionFailure, Text: "what", Detail: "what", Counts: true},
		},
		{
			"an output that is not there", app.TaskState_FAILED, false, nil,
			&app.TaskFailure{Kind: KindFetchFailed, ShuffleId: 4, MapIndex: 5, ReduceId: 6, Message: "m", BlockManager: at},
			Reason{
				Kind: KindFetchFailed, Text: "FetchFailed(BlockManagerId(2, h, 7, None), shuffleId=4, mapIndex=5, reduceId=6, message=\nm\n)",
				Detail: "m", Fetch: &FetchFailure{Shuffle: 4, MapIndex: 5, Reduce: 6, From: at},
			},
		},
	} {
		if got := reasonOf(k.state, k.writes, k.result, k.failure); !reflect.DeepEqual(got, k.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", k.name, got, k.want)
		}
	}
}
