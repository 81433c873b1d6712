package fair

import (
	"os"
	"strings"
	"testing"
)

// goldenDifferences are the recorded cases that differ from Hadoop on purpose, each with the beginning of the sentence
// of doc.go that describes it.
var goldenDifferences = map[string]string{
	"allocfile-g04":   "queueMaxAppsDefault and queueMaxResourcesDefault",
	"allocfile-g06":   "A maximum such as memory-mb=4096",
	"allocfile-g18":   "A weight below 0",
	"allocfile-g24":   "queueMaxAppsDefault and queueMaxResourcesDefault",
	"allocfile2-01":   "A queue that a file has twice",
	"allocfile2-02":   "A queue that a file has twice",
	"allocfile2-13":   "queueMaxAppsDefault and queueMaxResourcesDefault",
	"allocfile2-18":   "The default policy cannot be FIFO",
	"comparators-g28": "The comparator of drf is a total order",
	"comparators-g29": "The comparator of drf is a total order",
	"placement2-01":   "A queue that a file has twice",
	"placement2-02":   "A queue with <reservation> accepts no submissions",
	"preemption2-01":  "An application that was helped has the time of four heartbeats",
	"preemption2-02":  "The newest container of a node is preempted first",
	"preemption2-03":  "Preemption ignores requests without memory",
	"preemption2-04":  "A container that ended by itself after it was marked",
	"preemption2-05":  "The newest container of a node is preempted first",
	"preemption-g05":  "An application gets at most its demand of the amount",
	"preemption-g06":  "An application gets at most its demand of the amount",
	"preemption-g18":  "An application gets at most its demand of the amount",
	"sequences-g05":   "An ask includes containers that its application has not pulled yet",
	"sequences2-04":   "Headroom is never negative",
	"sequences2-05":   "Headroom is never negative",
	"sequences2-07":   "A reload takes effect as a whole",
	"sequences2-08":   "A reload takes effect as a whole",
	"sequences2-09":   "The steady share of a queue with a maximum from maxChildResources",
	"sequences2-11":   "An ApplicationMaster counts in its queue with the size that it has",
	"sequences2-15":   "A queue with <reservation> accepts no submissions",
	"sequences-g39":   "An application cannot release another's container",
	"sequences-g59":   "A continuous pass offers each node",
	"sequences-g60":   "A continuous pass offers each node",
	"sequences-g71":   "A maximum such as memory-mb=4096",
	"sequences-g73":   "A minimum in per cent",
	"sequences-g74":   "queueMaxAppsDefault and queueMaxResourcesDefault",
	"sequences-g75":   "queueMaxAppsDefault and queueMaxResourcesDefault",
}

// TestGoldenFixed: without the faults of Hadoop the outcome is Hadoop's too, except for goldenDifferences, each of which
// differs.
func TestGoldenFixed(t *testing.T) {
	if os.Getenv("COHERER_GOLDEN_DIR") != "" {
		t.Skip("goldenDifferences are those of the cases here")
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "\n//", "\n")), " ")
	left := map[string]bool{}
	for id, sentence := range goldenDifferences {
		left[id] = true
		if !strings.Contains(text, "- "+sentence) {
			t.Errorf("doc.go has no difference that begins with %q, of case %s", sentence, id)
		}
	}
	names, cases := goldenFiles(t)
	for _, name := range names {
		for _, c := range cases[name] {
			replay, ok := goldenKinds[c.Kind]
			if !ok {
				continue
			}
			differences := replay(c, Faults{})
			switch {
			case left[c.ID] && len(differences) == 0:
				t.Errorf("%s, %s: no difference; take the case out of goldenDifferences", c.ID, c.Title)
			case !left[c.ID] && len(differences) > 0:
				t.Errorf("%s, %s: differs from Hadoop:\n%s", c.ID, c.Title, strings.Join(differences, "\n"))
			}
			delete(left, c.ID)
		}
	}
	for id := range left {
		t.Errorf("case %s does not exist", id)
	}
}
