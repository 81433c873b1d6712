package resourcemanager_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace"
)

// omit is true of what scripts show after whole, and of what verbs ask in order to print it.
func (k *talk) omit(e *trace.Entry) bool {
	if e.From == "Client/Asker" || k.hidden[e.Cause] {
		k.hidden[e.ID] = true
		return true
	}
	if k.whole || e.K != trace.KindMsg {
		return false
	}
	return trace.Peer(e.From) == trace.Peer(e.To) || e.Type == "NodeHeartbeatRequest" && !news(e)
}

// news is true of what is more than a heartbeat and its answer.
func news(e *trace.Entry) bool {
	var says map[string]any
	if !e.IsAnswer() || json.Unmarshal([]byte(e.Body), &says) != nil {
		return false
	}
	for _, always := range []string{"responseId", "nextHeartBeatInterval", "containerTokenMasterKey", "nmTokenMasterKey"} {
		delete(says, always)
	}
	return len(says) > 0
}

// begun is the timestamp of ids of the first life.
const begun = "1767225600000"

var (
	inText   = regexp.MustCompile(`\b(application|appattempt|container)(_e)?0*(\d+)?_` + begun + `((?:_\d+)+)`)
	inObject = regexp.MustCompile(strings.NewReplacer("APP", `\{id=(\d+)(?: clusterTimestamp=`+begun+`)?\}`, "N", `(\d+)`).Replace(
		`\{appAttemptId=\{applicationId=APP attemptId=N\} id=N\}|\{applicationId=APP attemptId=N\}|APP`))
	inScript = regexp.MustCompile(`\b(app|attempt|container)(?:_e(\d+))?_(\d+)(?:_(\d+))?(?:_(\d+))?\b`)
	theAsk   = regexp.MustCompile(`\{priority=\{priority=1\} resourceName=\* capability=\{memory=(-?\d+) virtualCores=1\} numContainers=(-?\d+)\}`)
	anAsk    = regexp.MustCompile(`(-?\d+)x(-?\d+)\b`)
	always   = regexp.MustCompile(` ?\b(amRmToken|nmToken|containerToken|containerTokenMasterKey|nmTokenMasterKey)=…|nodeId=\{\} ?`)
)

// printed is what is printed for a text: before it the errors that the ResourceManager logged, with short ids and asks, and without
// keys and tokens.
func (k *talk) printed(text string) string {
	for _, e := range slices.Backward(k.errors.all) {
		text = "logged as an error: " + e + "\n" + text
	}
	k.errors.all = nil
	if text = short(text); !k.whole {
		text = always.ReplaceAllString(text, "")
	}
	return text
}

// short shortens ids and asks.
func short(text string) string {
	text = inText.ReplaceAllStringFunc(text, func(id string) string {
		m := inText.FindStringSubmatch(id)
		name := map[string]string{"application": "app", "appattempt": "attempt", "container": "container"}[m[1]] + m[2] + m[3]
		for number := range strings.SplitSeq(m[4][1:], "_") {
			name += "_" + cmp.Or(strings.TrimLeft(number, "0"), "0")
		}
		return name
	})
	text = inObject.ReplaceAllStringFunc(text, func(id string) string {
		m := inObject.FindStringSubmatch(id)
		switch n, _ := strconv.ParseInt(m[3], 10, 64); {
		case n>>40 > 0:
			return fmt.Sprintf("container_e%d_%s_%s_%d", n>>40, m[1], m[2], n&(1<<40-1))
		case m[1] != "":
			return fmt.Sprintf("container_%s_%s_%d", m[1], m[2], n)
		case m[4] != "":
			return fmt.Sprintf("attempt_%s_%s", m[4], m[5])
		}
		return "app_" + m[6]
	})
	return theAsk.ReplaceAllString(text, "${2}x$1")
}

// long is what a name in a script stands for.
func long(text string) string {
	text = inScript.ReplaceAllStringFunc(text, func(name string) string {
		m := inScript.FindStringSubmatch(name)
		id := "{id=" + m[3] + " clusterTimestamp=" + begun + "}"
		if m[1] == "app" {
			return id
		}
		id = "{applicationId=" + id + " attemptId=" + m[4] + "}"
		if m[1] == "attempt" {
			return id
		}
		epoch, _ := strconv.ParseInt(m[2], 10, 64)
		seq, _ := strconv.ParseInt(m[5], 10, 64)
		return fmt.Sprintf("{appAttemptId=%s id=%d}", id, epoch<<40|seq)
	})
	return anAsk.ReplaceAllString(text, "{priority={priority=1} resourceName=* capability={memory=$2 virtualCores=1} numContainers=$1}")
}

// nameOf is container_1_1_2.
func nameOf(id *yarn.ContainerId) string {
	c, err := ids.ContainerFrom(id)
	if err != nil {
		return err.Error()
	}
	return short(c.String())
}
