//coherer:pure

package listener

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Event is an event of a SparkListener, one of the structs of this package.
type Event interface {
	// Kind is what the key "Event" has: the simple name of Spark's class, or its whole name for the kinds that JsonProtocol does not
	// know by itself.
	Kind() string
}

// qualified begins the Kind of the events that Spark's own JsonProtocol leaves to Jackson.
const qualified = "org.apache.spark.scheduler."

// ErrUnknownEvent is the failure to decode an event of a kind that this package does not have.
var ErrUnknownEvent = errors.New("unknown event")

// MostLine is how long a line may be that Decode reads, in bytes.
const MostLine = 64 << 20

// Encode is the line of an event, without a line end.
func Encode(e Event) ([]byte, error) {
	body, err := marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", e.Kind(), err)
	}
	line := make([]byte, 0, len(body)+len(`{"Event":"",`)+len(e.Kind()))
	line = append(line, `{"Event":"`...)
	line = append(line, e.Kind()...)
	line = append(line, '"')
	if len(body) > len("{}") {
		line = append(line, ',')
	}
	return append(line, body[1:]...), nil
}

// marshal is encoding/json without its escapes for HTML, which Spark does not write.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads a line of an event log. The failure is ErrUnknownEvent for a kind that this package does not have, which readers
// skip.
func Decode(line []byte) (Event, error) {
	if len(line) > MostLine {
		return nil, fmt.Errorf("a line of an event log has %d bytes: at most %d are read", len(line), MostLine)
	}
	var head struct{ Event string }
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("a line of an event log: %w", err)
	}
	e := empty(strings.TrimPrefix(head.Event, qualified))
	if e == nil {
		return nil, fmt.Errorf("%w %q", ErrUnknownEvent, head.Event)
	}
	if err := json.Unmarshal(line, e); err != nil {
		return nil, fmt.Errorf("%s: %w", head.Event, err)
	}
	return e, nil
}

// empty is an event of a kind to be filled in; nil for an unknown one.
func empty(kind string) Event {
	switch kind {
	case "SparkListenerLogStart":
		return new(LogStart)
	case "SparkListenerResourceProfileAdded":
		return new(ResourceProfileAdded)
	case "SparkListenerBlockManagerAdded":
		return new(BlockManagerAdded)
	case "SparkListenerBlockManagerRemoved":
		return new(BlockManagerRemoved)
	case "SparkListenerEnvironmentUpdate":
		return new(EnvironmentUpdate)
	case "SparkListenerApplicationStart":
		return new(ApplicationStart)
	case "SparkListenerApplicationEnd":
		return new(ApplicationEnd)
	case "SparkListenerExecutorAdded":
		return new(ExecutorAdded)
	case "SparkListenerExecutorRemoved":
		return new(ExecutorRemoved)
	case "SparkListenerExecutorMetricsUpdate":
		return new(ExecutorMetricsUpdate)
	case "SparkListenerStageExecutorMetrics":
		return new(StageExecutorMetrics)
	case "SparkListenerJobStart":
		return new(JobStart)
	case "SparkListenerJobEnd":
		return new(JobEnd)
	case "SparkListenerStageSubmitted":
		return new(StageSubmitted)
	case "SparkListenerStageCompleted":
		return new(StageCompleted)
	case "SparkListenerTaskStart":
		return new(TaskStart)
	case "SparkListenerTaskGettingResult":
		return new(TaskGettingResult)
	case "SparkListenerTaskEnd":
		return new(TaskEnd)
	case "SparkListenerSpeculativeTaskSubmitted":
		return new(SpeculativeTaskSubmitted)
	case "SparkListenerUnpersistRDD":
		return new(UnpersistRDD)
	case "SparkListenerBlockUpdated":
		return new(BlockUpdated)
	}
	return emptyExclusion(kind)
}
