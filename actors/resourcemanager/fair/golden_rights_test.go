package fair

import (
	"encoding/json"
	"testing"
)

// The replay of an allocation file finds each right that is another one than recorded: no recorded case has any but SA.
func TestTheReplayComparesRights(t *testing.T) {
	const file = `<allocations><queue name="root"><aclSubmitApps>root</aclSubmitApps><aclAdministerApps>root</aclAdministerApps>
		<queue name="a"><aclSubmitApps>alice</aclSubmitApps><aclAdministerApps>bob</aclAdministerApps></queue></queue></allocations>`
	a, err := parseAllocations([]byte(file), options)
	if err != nil {
		t.Fatal(err)
	}
	differences := func(user, rights string) []string {
		queues := map[string]goldenQueue{}
		for _, s := range a.Queues() {
			queues[s.Name] = goldenQueueOf(a, s, Resource{}, nil)
		}
		queues["root.a"].ACL[user] = rights
		input, err := json.Marshal(map[string]any{"allocationFile": file})
		if err != nil {
			t.Fatal(err)
		}
		expected, err := json.Marshal(map[string]any{"queues": queues, "placementRules": a.Placement.Rules()})
		if err != nil {
			t.Fatal(err)
		}
		return replayParse(goldenCase{Input: input, Expected: expected}, Upstream())
	}
	for user, right := range map[string]string{"root": "SA", "alice": "S-", "bob": "-A", "carol": "--"} {
		for _, rights := range []string{"SA", "S-", "-A", "--"} {
			if got := differences(user, rights); (len(got) == 0) != (rights == right) {
				t.Errorf("%s has %s, recorded as %s: %q", user, right, rights, got)
			}
		}
	}
}
