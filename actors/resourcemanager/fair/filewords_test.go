package fair

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// An error of a file says in which line, of what, what is wrong and what to write.
func TestWhatIsWrongWithAFile(t *testing.T) {
	in := func(field string) string { return `<queue name="a">` + field + `</queue>` }
	rules := func(rules string) string { return `<queuePlacementPolicy>` + rules + `</queuePlacementPolicy>` }
	for elements, want := range map[string]string{
		in("<weight>x</weight>"):                                                     `NumberFormatException queue root.a: <weight> is "x"; it has to be a number, such as 2.5`,
		in("<weight>-1</weight>"):                                                    `AllocationConfigurationException queue root.a: the weight is -1; it has to be 0 or more`,
		in("<weight>1_0</weight>"):                                                   `NumberFormatException queue root.a: <weight> is "1_0"; it has to be a number, such as 2.5`,
		in("<maxAMShare>NaN</maxAMShare>"):                                           `NumberFormatException queue root.a: <maxAMShare> is "NaN"; it has to be a number, such as 0.5`,
		in("<maxAMShare>inf</maxAMShare>"):                                           `NumberFormatException queue root.a: <maxAMShare> is "inf"; it has to be a number, such as 0.5`,
		in("<maxRunningApps>1.5</maxRunningApps>"):                                   `NumberFormatException queue root.a: <maxRunningApps> is "1.5"; it has to be a whole number`,
		in("<minSharePreemptionTimeout>s</minSharePreemptionTimeout>"):               `NumberFormatException queue root.a: <minSharePreemptionTimeout> is "s"; it has to be a whole number of seconds`,
		in("<fairSharePreemptionTimeout>s</fairSharePreemptionTimeout>"):             `NumberFormatException queue root.a: <fairSharePreemptionTimeout> is "s"; it has to be a whole number of seconds`,
		in("<schedulingPolicy>moon</schedulingPolicy>"):                              `AllocationConfigurationException queue root.a: unknown scheduling policy "moon"; use fair, drf or fifo`,
		in("<maxResources>x</maxResources>"):                                         `AllocationConfigurationException queue root.a: <maxResources>: "x" is not an amount; write, for example, 4096 mb, 4 vcores`,
		in("<maxResources> </maxResources>"):                                         `AllocationConfigurationException queue root.a: <maxResources>: the amount is missing; write, for example, 4096 mb, 4 vcores`,
		in("<minResources>-1 mb, 1 vcores</minResources>"):                           `AllocationConfigurationException queue root.a: <minResources>: "-1 mb" is negative; an amount is 0 or more`,
		in("<minResources>1 mb, 1 moons</minResources>"):                             `AllocationConfigurationException queue root.a: <minResources>: no whole number of vcores in "1 mb, 1 moons"`,
		in("<maxResources>9999999999 mb, 1 vcores</maxResources>"):                   `NumberFormatException queue root.a: <maxResources>: 9999999999 is more than mb can be in this form; write memory-mb=..., vcores=...`,
		in("<maxResources>memory-mb=x</maxResources>"):                               `NumberFormatException queue root.a: <maxResources>: "x" is not a whole number, in "memory-mb=x"`,
		in("<maxResources>moon=1</maxResources>"):                                    `ResourceNotFoundException queue root.a: <maxResources>: unknown resource "moon"; use memory-mb or vcores, in "moon=1"`,
		in("<maxResources>moon=1%</maxResources>"):                                   `ResourceNotFoundException queue root.a: <maxResources>: unknown resource "moon"; use memory-mb or vcores, in "moon=1%"`,
		in("<maxResources>vcores=-1</maxResources>"):                                 `AllocationConfigurationException queue root.a: <maxResources>: "-1" is negative; an amount is 0 or more, in "vcores=-1"`,
		in("<maxResources>vcores=1=2</maxResources>"):                                `AllocationConfigurationException queue root.a: <maxResources>: "vcores=1=2" is not of the form name=value, in "vcores=1=2"`,
		in("<maxResources>vcores=1, x</maxResources>"):                               `AllocationConfigurationException queue root.a: <maxResources>: "x" is not of the form name=value, in "vcores=1, x"`,
		in("<maxResources>vcores=5% x</maxResources>"):                               `AllocationConfigurationException queue root.a: <maxResources>: "5% x" is not a part, in "vcores=5% x"`,
		in("<maxResources>50% memory</maxResources>"):                                `AllocationConfigurationException queue root.a: <maxResources>: "50% memory" names one type; write, for example, 50% memory, 50% cpu`,
		in("<maxResources>50% memory, 5% moon</maxResources>"):                       `AllocationConfigurationException queue root.a: <maxResources>: no per cent of cpu in "50% memory, 5% moon"`,
		in("<maxResources>50% 1memory, 5% cpu</maxResources>"):                       `AllocationConfigurationException queue root.a: <maxResources>: "50% 1memory" is not a part; write, for example, 50% memory`,
		in("<maxResources>memory 5%, 5% cpu</maxResources>"):                         `AllocationConfigurationException queue root.a: <maxResources>: "memory 5%" is not a part; it begins with a number and %`,
		in("<maxResources>-5%</maxResources>"):                                       `AllocationConfigurationException queue root.a: <maxResources>: "-5%" is negative; a part is 0% or more`,
		in("<weight><b/></weight>"):                                                  `ClassCastException queue root.a: <weight> begins with <b>; write a value in its place`,
		in("<aclSubmitApps/>"):                                                       `NullPointerException queue root.a: <aclSubmitApps> is empty; write a value, or take it out`,
		in("<aclAdministerApps/>"):                                                   `NullPointerException queue root.a: <aclAdministerApps> is empty; write a value, or take it out`,
		in("<aclListReservations/>"):                                                 `NullPointerException queue root.a: <aclListReservations> is empty; write a value, or take it out`,
		in("<queue/>"):                                                               `AllocationConfigurationException a queue below root.a has no name; write name="..."`,
		`<queue name="root"/><queue name="b"/>`:                                      `AllocationConfigurationException queue root: with an element of its own root has all other queues inside it; move them there`,
		`<queue name="a.b"/>`:                                                        `AllocationConfigurationException queue a.b: the name of a queue has no dot; put the queue inside the other's element`,
		`<queue name="a" type="parent"><maxAMShare>1</maxAMShare></queue>`:           `AllocationConfigurationException queue root.a: a queue with children, or with type="parent", cannot have <maxAMShare>; take it out`,
		`<queue name="a"><reservation/><queue name="b"/></queue>`:                    `AllocationConfigurationException queue root.a: a queue with children, or with type="parent", cannot have <reservation>; take it out`,
		`<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>`:          `AllocationConfigurationException defaultQueueSchedulingPolicy: the default policy cannot be FIFO, which only queues without children can have; write fair or drf`,
		`<user name="u"><maxRunningApps>x</maxRunningApps></user>`:                   `NumberFormatException user u: <maxRunningApps> is "x"; it has to be a whole number`,
		`<reservation-agent/>`:                                                       `NullPointerException <reservation-agent> is empty; write a value, or take it out`,
		`<queueMaxAppsDefault>x</queueMaxAppsDefault>`:                               `NumberFormatException <queueMaxAppsDefault> is "x"; it has to be a whole number`,
		`<queueMaxAMShareDefault>x</queueMaxAMShareDefault>`:                         `NumberFormatException <queueMaxAMShareDefault> is "x"; it has to be a number, such as 0.5`,
		`<queueMaxResourcesDefault>x</queueMaxResourcesDefault>`:                     `AllocationConfigurationException <queueMaxResourcesDefault>: "x" is not an amount; write, for example, 4096 mb, 4 vcores`,
		`<queuePlacementPolicy></queuePlacementPolicy>`:                              `AllocationConfigurationException queuePlacementPolicy: it is empty; write rules, or take it out`,
		rules(`<rule name="moon"/>`):                                                 `AllocationConfigurationException rule moon: unknown rule; use specified, user, primaryGroup, secondaryGroupExistingQueue, nestedUserQueue, default or reject`,
		rules(`<rule name="user"/><rule name="reject"/>`):                            `AllocationConfigurationException queuePlacementPolicy: rule 1 (user) always has an answer; the rules behind it are never reached: take them out, or give it create="false"`,
		rules(`<rule name="reject"/><rule name="default"/>`):                         `AllocationConfigurationException queuePlacementPolicy: rule 1 (reject) always has an answer; the rules behind it are never reached: take them out, or give it create="false"`,
		rules(`<rule name="specified"/>`):                                            `AllocationConfigurationException queuePlacementPolicy: the last rule (specified) may have no answer; end with <rule name="default"/> or <rule name="reject"/>`,
		rules(`<rule name="user" create="no"/>`):                                     `AllocationConfigurationException queuePlacementPolicy: the last rule (user) may have no answer; end with <rule name="default"/> or <rule name="reject"/>`,
		rules(`<rule name="secondaryGroupExistingQueue"/>`):                          `AllocationConfigurationException queuePlacementPolicy: the last rule (secondaryGroupExistingQueue) may have no answer; end with <rule name="default"/> or <rule name="reject"/>`,
		rules(`<rule name="user"><rule name="specified"/></rule>`):                   `AllocationConfigurationException queuePlacementPolicy: the last rule (user) may have no answer; end with <rule name="default"/> or <rule name="reject"/>`,
		rules(`<rule name="nestedUserQueue"/>`):                                      `AllocationConfigurationException rule nestedUserQueue: it has to have a rule in it, which gives the queue to be below`,
		rules(`<rule name="user"><rule name="reject"/></rule>`):                      `AllocationConfigurationException rule user: reject cannot stand in another rule`,
		rules(`<rule name="user"><rule name="nestedUserQueue"/></rule>`):             `AllocationConfigurationException rule user: nestedUserQueue cannot stand in another rule`,
		rules(`<rule name="default"><rule name="user"/></rule>`):                     `IOException rule default: it cannot have a rule in it`,
		rules(`<rule name="reject"><rule name="user"/></rule>`):                      `IOException rule reject: it cannot have a rule in it`,
		rules(`<rule name="primaryGroup"><rule name="primaryGroup"/></rule>`):        `IOException rule primaryGroup: it cannot have a rule of its own kind in it`,
		rules(`<rule name="user"><rule name="primaryGroup" create="x"/></rule>`):     `AllocationConfigurationException queuePlacementPolicy: the last rule (user) may have no answer; end with <rule name="default"/> or <rule name="reject"/>`,
		rules(`<rule name="user"><rule/></rule>`):                                    `AllocationConfigurationException a rule has no name; write name="..."`,
		rules(`<rule name="nestedUserQueue" create="false"><rule name="x"/></rule>`): `AllocationConfigurationException rule x: unknown rule; use specified, user, primaryGroup, secondaryGroupExistingQueue, nestedUserQueue, default or reject`,
	} {
		_, err := parseAllocations([]byte("<allocations>\n"+elements+"</allocations>"), options)
		bad, ok := errors.AsType[*fileError](err)
		if !ok {
			t.Errorf("%s: %v", elements, err)
			continue
		}
		class, text, _ := strings.Cut(want, " ")
		if string(bad.Class) != class || err.Error() != "allocation file, line 2: "+text {
			t.Errorf("%s:\n got %s %v\nwant %s", elements, bad.Class, err, want)
		}
	}
}

// A part of a file without effect gets a warning, which names the line and what counts instead.
func TestWhatAFileSaysAndWhatCounts(t *testing.T) {
	in := func(fields string) string { return `<queue name="a">` + fields + `</queue>` }
	rules := func(rules string) string { return `<queuePlacementPolicy>` + rules + `</queuePlacementPolicy>` }
	for elements, want := range map[string][]string{
		`<queue name="a"/><queue name="a"/>`:                                                       {"queue root.a appears twice: where both set something, this one counts"},
		`<user name="u"><moon/><maxRunningApps>2</maxRunningApps></user>`:                          {"<moon> of user u is ignored: only maxRunningApps counts"},
		`<reservation-planner>x</reservation-planner>`:                                             {"<reservation-planner> is ignored: reservations of resources ahead of time are not supported"},
		in("<aclListReservations>*</aclListReservations>"):                                         {"queue root.a: <aclListReservations> is ignored: reservations of resources ahead of time are not supported"},
		in("<reservation/>"):                                                                       {"queue root.a: reservations of resources ahead of time are not supported; the queue is a parent, and nothing can be submitted to it"},
		in("<maxContainerAllocation>50%</maxContainerAllocation>"):                                 {"queue root.a: maxContainerAllocation in per cent limits nothing; write it as an amount"},
		in("<minResources>5%</minResources><maxResources>1 mb,1 vcores</maxResources>"):            nil,
		in("<minResources>2 mb,1 vcores</minResources><maxResources>1%</maxResources>"):            nil,
		in("<minResources>1 mb,1 vcores</minResources><maxResources>1 mb,1 vcores</maxResources>"): nil,
		rules(" "):                          {"queuePlacementPolicy has no rule; the rules of yarn-site.xml hold"},
		rules(`<user/><RULE name="user"/>`): {`<user> in queuePlacementPolicy is ignored: write <rule name="user"/>`},
		rules(`<rule name="user"><x/><rule name="specified"/><rule name="primaryGroup"><rule name="user"/></rule></rule>`): {
			"rule user has several rules in it; the last one counts", "what is in rule primaryGroup inside rule user is ignored",
		},
		rules(`<rule name="default" queue=".x"/>`): {`rule default: ".x" is not a queue's name; root.default is taken`},
		`<queue name="root"><minSharePreemptionTimeout>1</minSharePreemptionTimeout><fairSharePreemptionTimeout>2</fairSharePreemptionTimeout>
			<fairSharePreemptionThreshold>0.25</fairSharePreemptionThreshold></queue><defaultMinSharePreemptionTimeout>7</defaultMinSharePreemptionTimeout>
			<fairSharePreemptionTimeout>8</fairSharePreemptionTimeout><defaultFairSharePreemptionThreshold>0.75</defaultFairSharePreemptionThreshold>`: {
			"<defaultMinSharePreemptionTimeout> is ignored: root has its own, which holds for all queues", "<fairSharePreemptionTimeout> is ignored: root has its own, which holds for all queues",
			"<defaultFairSharePreemptionThreshold> is ignored: root has its own, which holds for all queues",
		},
		`<queue name="root"><minSharePreemptionTimeout>1</minSharePreemptionTimeout></queue>`: nil,
	} {
		var got []string
		for _, w := range parsed(t, Faults{}, elements).Warnings {
			_, text, _ := strings.Cut(w, ": ")
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", elements, got, want)
		}
	}
	// Each setting of the other place is named as such.
	for _, name := range topSettings {
		if a := parsed(t, Faults{}, in("<"+name+">1</"+name+">")); !strings.HasSuffix(strings.Join(a.Warnings, ""), "it belongs outside of queues") {
			t.Errorf("%s: %v", name, a.Warnings)
		}
	}
	for _, name := range queueSettings {
		if a := parsed(t, Faults{}, "<"+name+">1</"+name+">"); !strings.HasSuffix(strings.Join(a.Warnings, ""), "it belongs in a queue") {
			t.Errorf("%s: %v", name, a.Warnings)
		}
	}
}

// Queues that cannot be made are named, with why and what helps.
func TestWhichQueuesCannotBeMade(t *testing.T) {
	a := parsed(t, Faults{}, `<queue name="p"><queue name="d"><schedulingPolicy>drf</schedulingPolicy></queue></queue><queue name="f"><schedulingPolicy>fifo</schedulingPolicy></queue>`)
	if want := "queue root.p.d is left out: its policy is DRF, and that of root.p is fair; give root.p DRF too"; !slices.Equal(a.Warnings, []string{want}) {
		t.Errorf("%q", a.Warnings)
	}
	const bad = " is left out: a part of its name is empty or begins or ends with a space, or it is longer than 1000 bytes"
	long := "root." + strings.Repeat("x", 995)
	for name, want := range map[string]string{
		"root": "", "root.a": "", "root.a.": `queue "root.a."` + bad, "root. a": `queue "root. a"` + bad, "root.p.d.x": "queue root.p.d.x is left out, as root.p.d is",
		"root.f.x": "queue root.f.x is left out: the policy of root.f is FIFO, which only queues without children can have", long: "", long + "x": fmt.Sprintf("queue %.100q%s", long, bad),
	} {
		got := ""
		if err := a.Creatable(name, false); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.20s: %s, want %s", name, got, want)
		}
	}
	for above, fine := range map[string][3]bool{policyFair: {true, false, true}, policyDRF: {true, true, true}, policyFIFO: {false, false, false}} {
		for i, policy := range []string{policyFair, policyDRF, policyFIFO} {
			if mayStandBelow(above, policy) != fine[i] {
				t.Errorf("%s below %s: %t", policy, above, !fine[i])
			}
		}
	}
}

// Time-outs are whole seconds; one that is longer than there can be has no end, in either direction.
func TestTimeOuts(t *testing.T) {
	const most = int64(never / time.Second)
	for seconds, want := range map[int64]time.Duration{
		0: 0, 7: 7 * time.Second, -1: -time.Second, most: time.Duration(most) * time.Second, most + 1: never, -most - 5: -time.Duration(most) * time.Second,
	} {
		text := fmt.Sprint(seconds)
		a := parsed(t, Faults{}, `<defaultMinSharePreemptionTimeout>`+text+`</defaultMinSharePreemptionTimeout><queue name="a"><fairSharePreemptionTimeout> `+text+` </fairSharePreemptionTimeout></queue>`)
		if got := a.Queue("root.a"); got.MinSharePreemptionTimeout != want || got.FairSharePreemptionTimeout != want {
			t.Errorf("%s: %v and %v, want %v", text, got.MinSharePreemptionTimeout, got.FairSharePreemptionTimeout, want)
		}
	}
	for text, want := range map[string]float32{"0.25": 0.25, "2": 1, "-1": 0} {
		a := parsed(t, Faults{}, `<defaultFairSharePreemptionThreshold>`+text+`</defaultFairSharePreemptionThreshold>`)
		if got := a.Queue("root.a").FairSharePreemptionThreshold; got != want {
			t.Errorf("threshold %s is %v", text, got)
		}
	}
	for text, want := range map[string]float32{"0.25": 0.25, "2": 1, "-1": -1} {
		a := parsed(t, Faults{}, `<queueMaxAMShareDefault>`+text+`</queueMaxAMShareDefault><queue name="b"><maxAMShare>`+text+`</maxAMShare></queue>`)
		if one, other := a.Queue("root.a").MaxAMShare, a.Queue("root.b").MaxAMShare; one != want || other != want {
			t.Errorf("maxAMShare %s is %v and %v", text, one, other)
		}
	}
}
