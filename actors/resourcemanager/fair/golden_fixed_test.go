package fair

import (
	"os"
	"strings"
	"testing"
)

// goldenDifferences are the recorded cases that differ from Hadoop on purpose, each with the beginning of the line
// of differences.txt that describes it.
var goldenDifferences = map[string]string{
	"allocfile-g04":   "queueMaxAppsDefault and queueMaxResourcesDefault hold for root",
	"allocfile-g06":   "a maximum such as memory-mb=4096 leaves",
	"allocfile-g18":   "a weight below 0, or one",
	"allocfile-g24":   "queueMaxAppsDefault and queueMaxResourcesDefault hold for root",
	"allocfile2-01":   "of a queue that a file",
	"allocfile2-02":   "of a queue that a file",
	"allocfile2-13":   "queueMaxAppsDefault and queueMaxResourcesDefault hold for root",
	"allocfile2-18":   "the default policy can be FIFO",
	"comparators-g28": "the comparator of drf meets a",
	"comparators-g29": "the comparator of drf meets a",
	"placement2-01":   "of a queue that a file",
	"placement2-02":   "submissions to a queue with <reservation>",
	"preemption2-01":  "an application that was helped has",
	"preemption2-02":  "the buckets of hash maps decide",
	"preemption2-03":  "preemption serves requests without memory, however",
	"preemption2-04":  "a container that ended by itself",
	"preemption2-05":  "the buckets of hash maps decide",
	"preemption-g05":  "an application that wants more than",
	"preemption-g06":  "an application that wants more than",
	"preemption-g18":  "an application that wants more than",
	"sequences-g05":   "from 3.4 on, the book forgets",
	"sequences2-04":   "headroom is negative in a queue",
	"sequences2-05":   "headroom is negative in a queue",
	"sequences2-07":   "a reload keeps the new policies",
	"sequences2-08":   "a reload keeps the new policies",
	"sequences2-09":   "the steady share of a queue",
	"sequences2-11":   "an ApplicationMaster counts in its queue,",
	"sequences2-15":   "submissions to a queue with <reservation>",
	"sequences-g39":   "the scheduler lets an application release",
	"sequences-g59":   "a continuous pass offers only one",
	"sequences-g60":   "a continuous pass offers only one",
	"sequences-g71":   "a maximum such as memory-mb=4096 leaves",
	"sequences-g73":   "a minimum in per cent is",
	"sequences-g74":   "queueMaxAppsDefault and queueMaxResourcesDefault hold for root",
	"sequences-g75":   "queueMaxAppsDefault and queueMaxResourcesDefault hold for root",
}

// TestGoldenFixed: without the faults of Hadoop the outcome is Hadoop's too, except for goldenDifferences, each of which
// differs.
func TestGoldenFixed(t *testing.T) {
	if os.Getenv("COHERER_GOLDEN_DIR") != "" {
		t.Skip("goldenDifferences are those of the cases here")
	}
	text, err := os.ReadFile("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for id, sentence := range goldenDifferences {
		left[id] = true
		if !strings.Contains(string(text), "\n"+sentence) {
			t.Errorf("differences.txt has no difference that begins with %q, of case %s", sentence, id)
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
