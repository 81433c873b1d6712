package resourcemanager_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

func (k *kit) why(app ids.Application) *yarn.ApplicationRefusals {
	k.t.Helper()
	return ask[*yarn.ApplicationRefusals](k, k.tool, "ClientRMService", &yarn.RequestApplicationRefusals{ApplicationId: app.Proto()})
}

func TestWhyAnApplicationHasNoMoreContainers(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 2048, 8)
	am, app := k.running(n, nil)
	if w := k.why(app); w.GetState() != "RUNNING" || w.GetUsed().GetMemory() != 1024 || w.GetQueue() != "root.ada" {
		t.Errorf("%v", w)
	}
	am.allocate(anywhere(3))
	k.beats(3*time.Second, n)
	got := k.why(app).GetRefusals()
	if len(got) == 0 || got[0].GetFilter() != "room" || got[0].GetNodes() != 1 || !strings.Contains(got[0].GetReason(), "1024") {
		t.Errorf("refused by %v", got)
	}
	waiting := k.submit(nil)
	k.beats(time.Second, n)
	if got := k.why(waiting).GetRefusals(); len(got) == 0 {
		t.Error("an application whose ApplicationMaster has no container gets no reasons")
	}
	_, err := askErr[*yarn.ApplicationRefusals](k, k.tool, "ClientRMService", &yarn.RequestApplicationRefusals{ApplicationId: ids.Application{ID: 9}.Proto()})
	refused(t, err, exceptions.ApplicationNotFound, "")
}

func TestAfterARestartItIsToldThatContainersWait(t *testing.T) {
	k, _ := keptKit(t)
	app := k.submit(nil)
	k.restart()
	k.Settle()
	if got := k.why(app).GetRefusals(); len(got) == 0 || got[0].GetFilter() != "restart" || !strings.Contains(got[0].GetHelp(), "scheduling-wait-ms") {
		t.Errorf("refused by %v", got)
	}
}
