//coherer:pure

package listener

import "strings"

// Exclusion reports that failures exclude an executor or a node, or no longer do. Spark posts each event twice: first under its older
// name.
type Exclusion struct {
	// Name is the simple name of Spark's class without SparkListener, such as ExecutorExcludedForStage.
	Name string `json:"-"`

	Time       int64  `json:"time"`
	ExecutorID string `json:"executorId,omitempty"`
	HostID     string `json:"hostId,omitempty"`
	// TaskFailures, of an executor, and ExecutorFailures, of a node, are absent where the exclusion ends.
	TaskFailures     *int   `json:"taskFailures,omitempty"`
	ExecutorFailures *int   `json:"executorFailures,omitempty"`
	StageID          *int32 `json:"stageId,omitempty"`
	Attempt          *int32 `json:"stageAttemptId,omitempty"`
}

// Kind implements [Event].
func (e *Exclusion) Kind() string { return qualified + "SparkListener" + e.Name }

// Older is the same event under its older name.
func (e Exclusion) Older() *Exclusion {
	e.Name = strings.NewReplacer("Excluded", "Blacklisted", "Unexcluded", "Unblacklisted").Replace(e.Name)
	return &e
}

// exclusions are the names of the events, each followed by its older one.
var exclusions = []string{
	"ExecutorExcluded", "ExecutorBlacklisted", "ExecutorUnexcluded", "ExecutorUnblacklisted",
	"NodeExcluded", "NodeBlacklisted", "NodeUnexcluded", "NodeUnblacklisted",
	"ExecutorExcludedForStage", "ExecutorBlacklistedForStage", "NodeExcludedForStage", "NodeBlacklistedForStage",
}

// emptyExclusion is an Exclusion of a kind to be filled in; nil for an unknown one.
func emptyExclusion(kind string) Event {
	for _, name := range exclusions {
		if kind == "SparkListener"+name {
			return &Exclusion{Name: name}
		}
	}
	return nil
}
