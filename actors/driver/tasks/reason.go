package tasks

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

// The kinds of Reason. They mirror org.apache.spark.TaskEndReason.
const (
	KindSuccess             = "Success"
	KindResubmitted         = "Resubmitted"
	KindFetchFailed         = "FetchFailed"
	KindExceptionFailure    = "ExceptionFailure"
	KindTaskKilled          = "TaskKilled"
	KindTaskResultLost      = "TaskResultLost"
	KindExecutorLostFailure = "ExecutorLostFailure"
	KindTaskCommitDenied    = "TaskCommitDenied"
	KindUnknownReason       = "UnknownReason"

	// KindNotSerializable and KindOutputFileExists are exceptions that Spark never tries again.
	KindNotSerializable  = "NotSerializable"
	KindOutputFileExists = "OutputFileExists"

	// Coherer's own: another try would fail alike.
	KindLineageDiffers = "LineageDiffers"
	KindTaskTooLarge   = "TaskTooLarge"
	KindBadJob         = "BadJob"
)

// Reason is why an attempt ended.
type Reason struct {
	Kind string
	// Text is for people, as Spark's toErrorString; "" for a success.
	Text string
	// Detail is the part of Text that an event has by itself: why an attempt was killed, why its executor is gone, the message of a
	// failure. Stack is that of user code.
	Detail, Stack string
	// Executor of KindExecutorLostFailure.
	Executor string
	// Counts: this failure is one of the spark.task.maxFailures.
	Counts bool
	// Lineage has the executor's lines, for KindLineageDiffers; one text, so that reasons can be compared.
	Lineage string
	// Fetch is the map output that could not be fetched, for KindFetchFailed.
	Fetch *FetchFailure
}

// permanent reports whether each other try would fail alike.
func (r Reason) permanent() bool {
	switch r.Kind {
	case KindLineageDiffers, KindTaskTooLarge, KindBadJob, KindNotSerializable, KindOutputFileExists:
		return true
	}
	return false
}

// FetchFailure is a map output that a reduce task could not fetch.
type FetchFailure struct {
	Shuffle int32
	// MapIndex is -1 when the location of some output was not even known; From is nil then.
	MapIndex int32
	// Reduce is the partition that was to be read.
	Reduce int32
	From   *storage.BlockManagerId
}

// Loss is why an executor is gone. It mirrors org.apache.spark.scheduler.ExecutorLossReason.
type Loss struct {
	Message string
	// CausedByApp: the failures of its tasks count.
	CausedByApp bool
	// Decommissioned: it went because its machine is to go.
	Decommissioned bool
	// Pending: nobody knows the reason yet; another Loss follows.
	Pending bool
}

var success = Reason{Kind: KindSuccess}

// resultLost is the end of an attempt whose executor says that it has ended well, and does not have what it brought.
var resultLost = Reason{Kind: KindTaskResultLost, Text: "TaskResultLost (result lost from block manager)", Counts: true}

// killed is the end of an attempt that the driver no longer wanted.
func killed(why string) Reason {
	return Reason{Kind: KindTaskKilled, Text: "TaskKilled (" + why + ")", Detail: why}
}

// executorLost is the end of the attempts on a lost executor.
func executorLost(id string, l Loss) Reason {
	behaviour := "unrelated to the running tasks"
	if l.CausedByApp {
		behaviour = "caused by one of the running tasks"
	}
	text := fmt.Sprintf("ExecutorLostFailure (executor %s exited %s)", id, behaviour)
	if l.Message != "" {
		text += " Reason: " + l.Message
	}
	return Reason{Kind: KindExecutorLostFailure, Text: text, Detail: l.Message, Executor: id, Counts: l.CausedByApp}
}

// reasonOf reads a final StatusUpdate.
func reasonOf(state app.TaskState, writesMap bool, result *app.TaskResult, f *app.TaskFailure) Reason {
	switch {
	case state == app.TaskState_FINISHED && (result == nil || writesMap && result.GetMapStatus() == nil):
		// An executor that reports a success without what it brought: the task is tried again.
		return resultLost
	case state == app.TaskState_FINISHED:
		return success
	case state == app.TaskState_KILLED:
		return killed(f.GetMessage())
	case f == nil:
		return Reason{Kind: KindUnknownReason, Text: KindUnknownReason, Counts: true}
	}
	switch f.GetKind() {
	case KindFetchFailed:
		return fetchFailed(f)
	case KindTaskKilled:
		return killed(f.GetMessage())
	case KindTaskCommitDenied: // another attempt writes the output, and is not to blame for that
		return Reason{Kind: KindTaskCommitDenied, Text: f.GetMessage()}
	case KindLineageDiffers, KindBadJob, KindNotSerializable, KindOutputFileExists:
		return Reason{Kind: f.GetKind(), Text: f.GetMessage(), Counts: true, Lineage: strings.Join(f.GetLineage(), "\n")}
	}
	text := f.GetMessage()
	if f.GetStack() != "" {
		text += "\n" + f.GetStack()
	}
	return Reason{Kind: KindExceptionFailure, Text: text, Detail: f.GetMessage(), Stack: f.GetStack(), Counts: true}
}

func fetchFailed(f *app.TaskFailure) Reason {
	at := "null"
	if m := f.GetBlockManager(); m != nil {
		at = fmt.Sprintf("BlockManagerId(%s, %s, %d, None)", m.GetExecutorId(), m.GetHost(), m.GetPort())
	}
	return Reason{
		Kind: KindFetchFailed,
		Text: fmt.Sprintf("FetchFailed(%s, shuffleId=%d, mapIndex=%d, reduceId=%d, message=\n%s\n)",
			at, f.GetShuffleId(), f.GetMapIndex(), f.GetReduceId(), f.GetMessage()),
		Detail: f.GetMessage(),
		Fetch: &FetchFailure{
			Shuffle: f.GetShuffleId(), MapIndex: f.GetMapIndex(), Reduce: f.GetReduceId(), From: f.GetBlockManager(),
		},
	}
}
