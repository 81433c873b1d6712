package ids

import (
	"testing"

	"github.com/coherer/coherer/messages/yarn"
)

func TestIdsTravelInMessages(t *testing.T) {
	id := Container{Attempt{Application{1767225600000, 7}, 2}, 3, 4}
	if got, err := ContainerFrom(id.Proto()); err != nil || got != id {
		t.Errorf("%s %v", got, err)
	}
	for name, bad := range map[string]func(*yarn.ContainerId){
		"no attempt":     func(m *yarn.ContainerId) { m.AppAttemptId = nil },
		"no application": func(m *yarn.ContainerId) { m.AppAttemptId.ApplicationId = nil },
		"attempt 0":      func(m *yarn.ContainerId) { m.AppAttemptId.AttemptId = 0 },
		"a negative":     func(m *yarn.ContainerId) { m.Id = -1 },
		"sequence 0":     func(m *yarn.ContainerId) { m.Id = 1 << 40 },
		"an old time":    func(m *yarn.ContainerId) { m.AppAttemptId.ApplicationId.ClusterTimestamp = -1 },
	} {
		m := id.Proto()
		bad(m)
		if got, err := ContainerFrom(m); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, err := ContainerFrom(nil); err == nil {
		t.Error("nil is an id")
	}
}
