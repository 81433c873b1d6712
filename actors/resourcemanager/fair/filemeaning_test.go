package fair

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// readAs is what a file of these elements comes to: its error, or what a look at it says and its warnings, each in brackets.
func readAs(faults Faults, elements string, look func(a *Allocations) any) string {
	o := options
	o.Faults = faults
	if !strings.HasPrefix(elements, "!") {
		elements = "<allocations>" + elements + "</allocations>"
	}
	a, err := parseAllocations([]byte(strings.TrimPrefix(elements, "!")), o)
	if err != nil {
		return strings.TrimPrefix(err.Error(), "allocation file, line 1: ")
	}
	text := fmt.Sprint(look(a))
	for _, w := range a.Warnings {
		text += " [" + w + "]"
	}
	return text
}

// The meaning of single elements, in Hadoop and with its faults mended, and their warnings. The texts begin with ! where all of a
// file is given.
func TestWhatSingleElementsMean(t *testing.T) {
	max := func(a *Allocations) any { return a.Queue("root.a").Max }
	amShare := func(a *Allocations) any { return a.Queue("root.a").MaxAMShare }
	weight := func(a *Allocations) any { return a.Queue("root.a").Weight }
	names := func(a *Allocations) any {
		var all []string
		for _, q := range a.Queues() {
			all = append(all, fmt.Sprintf("%s %t", q.Name, q.Parent))
		}
		return all
	}
	timeouts := func(a *Allocations) any {
		q := a.Queue("root.a")
		return fmt.Sprint(q.MinSharePreemptionTimeout, q.FairSharePreemptionTimeout, q.FairSharePreemptionThreshold)
	}
	in := func(element, value string) string {
		return `<queue name="a"><` + element + `>` + value + `</` + element + `></queue>`
	}
	const unnamed = "line 1: queue root.a: <maxResources> does not name vcores; Hadoop has -1 of them then, and no container has room"
	for _, x := range []struct {
		faults   Faults
		elements string
		look     func(a *Allocations) any
		want     string
	}{
		{Faults{}, in("maxResources", "50%,"), max, "{<memory:0, vCores:0> true {0.5 0.5}}"},
		{Faults{}, in("maxResources", "1024 mb, 2 vcores,"), max, "{<memory:1024, vCores:2> false {0 0}}"},
		{Faults{}, in("maxResources", "memory-mb=0, vcores=0"), max, "{<memory:0, vCores:0> false {1 1}}"},
		{Faults{}, in("maxResources", "memory-mb= ,vcores=1"), max, `queue root.a: <maxResources>: "memory-mb=" is not of the form name=value, in "memory-mb= ,vcores=1"`},
		{Faults{}, in("maxResources", strings.Repeat("9", 400)+"%"), max, `queue root.a: <maxResources>: strconv.ParseFloat: parsing "` + strings.Repeat("9", 400) + `": value out of range`},
		{Upstream(), in("maxResources", "memory-mb=1024"), max, "{<memory:1024, vCores:-1> false {1 1}} [" + unnamed + "]"},
		{Faults{}, in("maxResources", "memory-mb=50%"), max, "{<memory:9223372036854775807, vCores:2147483647> true {0.5 1}}"},
		{Faults{}, in("minResources", "memory-mb=50%"), func(a *Allocations) any { return a.Queue("root.a").Min }, "{<memory:0, vCores:0> true {0.5 0}}"},
		{Upstream(), in("maxResources", "memory-mb=50%"), max, "{<memory:9223372036854775807, vCores:-1> true {0.5 1}}"},
		{Upstream(), in("maxResources", "memory-mb=1,vcores=0"), max, "{<memory:1, vCores:0> false {1 1}}"},
		{Faults{}, in("maxResources", "memory-mb=1024"), max, "{<memory:1024, vCores:2147483647> false {1 1}}"},
		{Upstream(), in("minResources", "50%"), func(a *Allocations) any { return a.Queue("root.a").Min.Part }, "false [line 1: queue root.a: minResources in per cent is 0]"},
		{Upstream(), in("minResources", "memory-mb=1"), func(a *Allocations) any { return a.Queue("root.a").Min.Amount }, "<memory:1, vCores:0>"},
		{Faults{}, `<queue name="a"><minResources>memory-mb=1</minResources><maxResources>50%</maxResources></queue>`, max, "{<memory:0, vCores:0> true {0.5 0.5}}"},

		{Upstream(), in("maxAMShare", "NaN"), func(a *Allocations) any { return a.Queue("root.a").MaxAMShare != a.Queue("root.a").MaxAMShare }, "true"},
		{Faults{}, in("maxAMShare", "1e999"), amShare, "1"},
		{Faults{}, in("maxAMShare", "+0.25f"), amShare, "0.25"},
		{Faults{}, in("maxAMShare", "+"), amShare, `queue root.a: <maxAMShare> is "+"; it has to be a number, such as 0.5`},
		{Faults{}, in("maxAMShare", "f"), amShare, `queue root.a: <maxAMShare> is "f"; it has to be a number, such as 0.5`},
		{Faults{}, in("maxAMShare", "0x1p-2f"), amShare, "0.25"},
		{Faults{}, in("maxAMShare", "0x1f"), amShare, `queue root.a: <maxAMShare> is "0x1f"; it has to be a number, such as 0.5`},
		{Upstream(), in("weight", "+Infinity"), weight, "+Inf"},
		{Upstream(), in("weight", "1e999"), weight, "+Inf"},
		{Faults{}, in("weight", "3.40282346638528859811704183484516925440e+38"), weight, "3.4028235e+38"},
		{Faults{}, in("weight", "3.5e38"), weight, "queue root.a: the weight is 3.5e+38; it has to be 0 or more"},

		{Faults{}, in("allowPreemptionFrom", "TRUE"), func(a *Allocations) any { return a.Queue("root.a").Preemptable }, "true"},
		{Faults{}, in("allowPreemptionFrom", "no"), func(a *Allocations) any { return a.Queue("root.a").Preemptable }, "false"},
		{Faults{}, `<defaultMinSharePreemptionTimeout>5</defaultMinSharePreemptionTimeout><defaultFairSharePreemptionTimeout>6</defaultFairSharePreemptionTimeout>
			<defaultFairSharePreemptionThreshold>0.7</defaultFairSharePreemptionThreshold><queue name="a"/>`, timeouts, "5s 6s 0.7"},
		{Faults{}, in("fairSharePreemptionTimeout", "9223372036"), timeouts, fmt.Sprint(never, 9223372036*time.Second, 0.5)},
		{Faults{}, in("fairSharePreemptionTimeout", "9223372037"), timeouts, fmt.Sprint(never, never, 0.5)},
		{Faults{}, `<userMaxAppsDefault/><userMaxAppsDefault>3</userMaxAppsDefault>`, names, "<userMaxAppsDefault> is empty; write a value, or take it out"},

		{Faults{}, `<queue name="root"><schedulingPolicy>fifo</schedulingPolicy></queue>`, names, "[root true]"},
		{
			Faults{},
			`<queue name="p"><queue name="c"/></queue><queue name="p"/>`, func(a *Allocations) any { return fmt.Sprint(names(a), a.ends) },
			"[root true root.p true root.p.c false] map[false:[root.p.c root.p] true:[root.p]] [line 1: queue root.p appears twice: where both set something, this one counts]",
		},
		{
			Faults{},
			`<queue name="a"/><queue name="a"/>`, func(a *Allocations) any { return a.ends[false] },
			"[root.a] [line 1: queue root.a appears twice: where both set something, this one counts]",
		},
		{Upstream(), `<queue name="p"><ue name="c"/></queue>`, names, "[root true root.p true root.p.c false]"},
		{
			Upstream(), `<queue name="ROOT"><maxRunningApps>3</maxRunningApps><queue name="p"><maxRunningApps>4</maxRunningApps><queue name="c"/></queue></queue>`,
			func(a *Allocations) any {
				return fmt.Sprint(names(a), a.Queue("root.ROOT").MaxRunningApps, a.Queue("root.ROOT.p").MaxRunningApps)
			}, "[root true root.ROOT true root.ROOT.p true root.ROOT.p.c false] 2147483647 2147483647",
		},
		{
			Upstream(), `<queue name="ROOT"><aclSubmitApps>v</aclSubmitApps><queue name="p"/></queue>`,
			func(a *Allocations) any {
				return fmt.Sprint(names(a), a.Queue(Root).Submit, a.Queue("root.ROOT").Submit)
			},
			"[root true root.ROOT true root.ROOT.p false] {true [] []} {false [] []}",
		},
		{
			Upstream(), `<defaultQueueSchedulingPolicy>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy</defaultQueueSchedulingPolicy>
				<queue name="ROOT"><queue name="p"/></queue>`, names, "[root true] [queue root.ROOT is left out: its policy is FIFO, and it is a parent; " +
				"only queues without children can have FIFO] [queue root.ROOT.p is left out, as root.ROOT is]",
		},
		{Faults{}, `<queue name="` + strings.Repeat("x", 995) + `"/>`, func(a *Allocations) any { return len(a.Queues()) }, "2"},
		{Faults{}, `<queue name="` + strings.Repeat("x", 996) + `"/>`, names, "the full name of a queue has more than 1000 bytes"},
		{Faults{}, `<queue name="root"><queue name=" "/></queue>`, names, `a queue below root has no name; write name="..."`},
		{
			Faults{},
			`<queue name="root"><aclSubmitApps>u</aclSubmitApps></queue>`,
			func(a *Allocations) any {
				return fmt.Sprint(a.Queue(Root).Submit, a.Queue(Root).Administer, a.MaySubmit("root.x", "v", nil))
			}, "{false [u] []} {true [] []} true",
		},
		{
			Faults{},
			`<queue name="root"><aclAdministerApps> g</aclAdministerApps></queue>`,
			func(a *Allocations) any { return fmt.Sprint(a.Queue(Root).Submit, a.Queue(Root).Administer) }, "{true [] []} {false [] [g]}",
		},

		{
			Faults{},
			`<queuePlacementPolicy><rule name="user" queue=".bad"><rule name="primaryGroup"/></rule></queuePlacementPolicy>`,
			func(a *Allocations) any { return a.Placement.Rules() }, "[UserPlacementRule]",
		},
		{
			Faults{},
			`<queuePlacementPolicy><rule name="user"><rule name="primaryGroup"><rule name="default"/></rule></rule></queuePlacementPolicy>`,
			func(a *Allocations) any { return a.Placement.Rules() }, "[UserPlacementRule] [line 1: what is in rule primaryGroup inside rule user is ignored]",
		},

		{Faults{}, "!<allocations/>x", names, "it has text outside of its top element"},
		{Faults{}, "!<allocations/> \n", names, "[root true]"},
		{Faults{}, "!</allocations>", names, "</allocations> closes an element that is not open"},
		{Faults{}, "!<a:allocations/>", names, "its top element is <a:allocations>; that of an allocation file is <allocations>"},
		{Faults{}, "<?page x?>", names, "[root true]"},
		{Faults{}, `<?xml version="1.0"?>`, names, "<?xml ...?> is not at the beginning; take out what stands before it"},
	} {
		if got := readAs(x.faults, x.elements, x.look); got != x.want {
			t.Errorf("faults %v, %.150s: %s, want %s", x.faults, x.elements, got, x.want)
		}
	}
}

// Names of users and groups are those between the commas; between two commas is no name.
func TestNamesOfRights(t *testing.T) {
	if got, want := parseACL("a,,b g,,h,"), (ACL{Users: []string{"a", "b"}, Groups: []string{"g", "h"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
