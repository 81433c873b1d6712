package yarnclient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// What a submission does not say is as in Spark, and what YARN decides by itself is left to it.
func TestWhatASubmissionDoesNotSay(t *testing.T) {
	s := cluster()
	s.Name = ""
	k := start(t, Config{Submit: s}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}})
	k.exits(0, time.Second, "")
	h := k.handed
	if h.GetApplicationName() != "Spark" || h.GetQueue() != "default" || h.GetApplicationType() != "SPARK" || h.GetMaxAppAttempts() != 0 ||
		h.GetAttemptFailuresValidityInterval() != -1 || h.GetPriority() != nil || len(h.GetApplicationTags()) != 0 ||
		h.GetKeepContainersAcrossApplicationAttempts() || len(h.GetAmContainerResourceRequest()) != 0 {
		t.Error(h)
	}
}

// With a label the ApplicationMaster's container is asked for by a request, and not by its size alone.
func TestALabelledApplicationMasterIsAskedForByARequest(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}, "spark.yarn.am.nodeLabelExpression", "fast")
	k.exits(0, time.Second, "")
	asked := k.handed.GetAmContainerResourceRequest()
	if len(asked) != 1 || k.handed.GetResource() != nil {
		t.Fatal(k.handed)
	}
	if a := asked[0]; a.GetResourceName() != "*" || a.GetNumContainers() != 1 || a.GetPriority().GetPriority() != 0 || a.GetNodeLabelExpression() != "fast" || a.GetCapability().GetMemory() != 1408 {
		t.Error(a)
	}
}

// What a refused submission staged is removed.
func TestARefusedSubmissionLeavesNoFiles(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, refuses: fmt.Errorf("%w: no", rpcenv.ErrRefused)})
	k.exits(1, 0, "no")
	if got := k.files.did[len(k.files.did)-1]; got != "remove "+dir {
		t.Error(got)
	}
}

func TestASubmissionThatIsNeverAcceptedTimesOut(t *testing.T) {
	const setting = "yarn.client.application-client-protocol.poll-timeout-ms"
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_NEW_SAVING)}}, setting, "5s")
	k.exits(1, 5*time.Second, "Timed out while waiting for application "+appText+" to be submitted successfully ("+setting+")")
	if got := len(k.got); got != 28 { // each 200 ms
		t.Error(got, "calls")
	}
}

// What the ApplicationMaster alone is to have is not in the settings by which it gives files to executors.
func TestExecutorsDoNotGetWhatIsOfTheApplicationMaster(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}})
	if err := k.w.Run(func() bool { return len(k.heard) == 2 }, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"filenames=" + dir + "/__app__.jar#__app__.jar\n", "sizes=9\n", "types=FILE\n", "timestamps=7\n", "visibilities=PRIVATE\n"} {
		if got := k.files.archive[1].Content; !strings.Contains(got, "spark.yarn.cache."+want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
