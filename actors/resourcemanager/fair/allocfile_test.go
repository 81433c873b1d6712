package fair

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAmounts are the forms that Hadoop's own tests of FairSchedulerConfiguration have, on a cluster of 10240 MiB and 4 cores.
func TestAmounts(t *testing.T) {
	half := Resource{5120, 2}
	for text, want := range map[string]Resource{
		"5120 mb 2 vcores": half, "2 vcores, 5120 mb": half, "5120 mb, 2 vcores": half, "2vcores,5120mb": half,
		"5120mb   mb, 2    vcores": half, "5120 Mb, 2 vCores": half, "  5120 mb, 2 vcores  ": half,
		"  5120.3 mb, 2.35 vcores  ": half, "  5120. mb, 2. vcores  ": half, "5120 mb, 2 vcores,": half,
		"50% memory, 50% cpu": half, "50% Memory, 50% CpU": half, "50% memory, 100% cpu": {5120, 4}, " 100% cpu, 50% memory": {5120, 4},
		"50% memory, 0% cpu": {5120, 0}, "50 % memory, 50 % cpu": half, "50%memory,50%cpu": half, "  50  %  memory,  50  %  cpu  ": half,
		"50.% memory, 50.% cpu": half, "10.9% memory, 50.6% cpu": {1116, 2}, "50%": half,
		"vcores=2, memory-mb=5120": half, " vcores = 2 , memory-mb = 5120 ": half, "vcores=75%, memory-mb=40%": {4096, 3},
		" vcores = 75 % , memory-mb = 40 % ": {4096, 3}, "vcores=50%": {10240, 2},
		"vcores=2147483648": unbounded, "memory-mb=1=,vcores=2": {1, 2},
	} {
		l, err := parseLimit(text, missingUnlimited, Faults{})
		if got := l.Of(Resource{10240, 4}); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "1024", "1024mb", "1024vcores", "1o24vc0res", "95%, 50% memory", "95A% cpu, 50% memory", "50% cpu, 1024 mb",
		"50% memory, 2 vcores", "1024 mb, 2 4 vcores", "2048 1024 mb, 2 vcores", "50% memory, 50% 100%cpu", "50% 80% memory, 100%cpu",
		"vcores = 75%, memory-mb = 40% 80%", "vcores = 75% 65%, memory-mb = 40%", "-10% memory, 50% cpu", "10% memory, -10% cpu",
		"-2 vcores,5120 mb", "2 vcores, -5120 mb", "5120mb   mb, -2    vcores", "  5120.3 mb, -2.35 vcores  ", "2 vcores 5120 mb 555 mb",
		"memory-mb=-5120,vcores=2", "vcores=-75%,memory-mb=40%", "vcores=1=2", "vcores=", "moon=1", "vcores=1.5",
		"99999999999999999999 mb, 1 vcores", "1 mb, 2147483648 vcores",
	} {
		if l, err := parseLimit(text, missingUnlimited, Faults{}); err == nil {
			t.Errorf("%q is taken for %+v", text, l)
		}
	}
}

func TestACLs(t *testing.T) {
	for text, want := range map[string]string{
		"*": "u v w", " * ": "u v w", " ": "", "": "", "u": "u", "u,v": "u v", "u g": "u v", " g": "v", " g,h": "v w", "x, g": "v", "u *": "u v w", "*,u g": "u v", "u , h": "u w",
	} {
		var got []string
		for _, user := range []struct {
			name   string
			groups []string
		}{{"u", nil}, {"v", []string{"f", "g"}}, {"w", []string{"h"}}} {
			if parseACL(text).Allows(user.name, user.groups) {
				got = append(got, user.name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q allows %v, want %s", text, got, want)
		}
	}
}

// TestBadFiles: an error says where, what and what to do, and is of Hadoop's class.
func TestBadFiles(t *testing.T) {
	for file, want := range map[string]string{
		"":                         "SAXParseException: line 1: it has no element",
		"<allocations>":            "SAXParseException: line 1: it ends before </allocations>",
		"<allocations/>\n<":        "SAXParseException: line 2: unexpected EOF",
		"<allocations/>\n<queue/>": "SAXParseException: line 2: <queue> comes after the end of <allocations>; a file has one element at the top",
		"<!DOCTYPE a [<!ENTITY b \"c\">]><allocations/>":                                 "SAXParseException: line 1: it has a document type declaration (<!...>); take it out",
		"\n<?xml version=\"1.0\"?><allocations/>":                                        "SAXParseException: line 2: <?xml ...?> is not at the beginning; take out what stands before it",
		"<?xml version=\"1.0\" encoding=\"KOI8-R\"?><allocations/>":                      "SAXParseException: line 1: xml: opening charset \"KOI8-R\": encoding KOI8-R is unknown; write the file in UTF-8",
		"<allocations><queue name=\"a\" name=\"b\"/></allocations>":                      "SAXParseException: line 1: attribute name of <queue> appears twice",
		"<allocations><queue name=\"a\"></pool></allocations>":                           "SAXParseException: line 1: </pool> closes an element that is not open",
		"<allocations>&moon;</allocations>":                                              "SAXParseException: line 1: invalid character entity &moon;",
		strings.Repeat("<a>", 101):                                                       "SAXParseException: line 1: its elements are nested more than 100 deep",
		"<allocations><queue name=\"a\"><weight/></queue></allocations>":                 "NullPointerException: line 1: queue root.a: <weight> is empty; write a value, or take it out",
		"<allocations><userMaxAppsDefault><a/>1</userMaxAppsDefault></allocations>":      "ClassCastException: line 1: <userMaxAppsDefault> begins with <a>; write a value in its place",
		"<allocations><userMaxAppsDefault>x</userMaxAppsDefault></allocations>":          "NumberFormatException: line 1: <userMaxAppsDefault> is \"x\"; it has to be a whole number",
		"<allocations><queue/></allocations>":                                            "AllocationConfigurationException: line 1: a queue below root has no name; write name=\"...\"",
		"<allocations><queue name=\"" + strings.Repeat("a", 1000) + "\"/></allocations>": "AllocationConfigurationException: line 1: the full name of a queue has more than 1000 bytes",
		"<configuration>\n<property><name>yarn.scheduler.capacity.root.queues</name></property></configuration>": "AllocationConfigurationException: line 2: " +
			"this is a capacity-scheduler.xml (it has yarn.scheduler.capacity.root.queues); the CapacityScheduler is not supported: " +
			"write the queues in a fair-scheduler.xml, <allocations><queue name=\"...\"/></allocations>",
		"<configuration/>": "AllocationConfigurationException: line 1: its top element is <configuration>; that of an allocation file is <allocations>",
		"<allocations><queuePlacementPolicy><rule name=\"specified\"><rule name=\"user\"/></rule><rule name=\"reject\"/></queuePlacementPolicy></allocations>": "IOException: line 1: rule specified: it cannot have a rule in it",
		"<allocations><queuePlacementPolicy><rule name=\"nestedUserQueue\"><rule name=\"user\"/></rule></queuePlacementPolicy></allocations>":                  "IOException: line 1: rule nestedUserQueue: it cannot have a rule of its own kind in it",
		"<allocations><queuePlacementPolicy><rule/></queuePlacementPolicy></allocations>":                                                                      "AllocationConfigurationException: line 1: a rule has no name; write name=\"...\"",
	} {
		_, err := parseAllocations([]byte(file), options)
		var bad *fileError
		if !errors.As(err, &bad) {
			t.Errorf("%.80q: %v", file, err)
			continue
		}
		if got := string(bad.Class) + ": " + strings.TrimPrefix(err.Error(), "allocation file, "); got != want {
			t.Errorf("%.80q:\n got %s\nwant %s", file, got, want)
		}
	}
}

func TestWhatAQueueInherits(t *testing.T) {
	a := parsed(t, Faults{}, `<defaultFairSharePreemptionTimeout>9</defaultFairSharePreemptionTimeout><fairSharePreemptionTimeout>8</fairSharePreemptionTimeout>
<queue name="p"><maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation><allowPreemptionFrom>false</allowPreemptionFrom>
<minSharePreemptionTimeout>3</minSharePreemptionTimeout><maxChildResources>10 mb, 1 vcores</maxChildResources><weight>5</weight>
<queue name="c"><allowPreemptionFrom>true</allowPreemptionFrom></queue></queue>`)
	type inherited struct {
		container     Resource
		preemptable   bool
		least, fair   time.Duration
		most          Resource
		weight        float32
		dynamic, leaf bool
	}
	of := func(name string) inherited {
		q := a.Queue(name)
		return inherited{
			q.MaxContainerAllocation, q.Preemptable, q.MinSharePreemptionTimeout, q.FairSharePreemptionTimeout, q.MaxShare(Resource{}),
			q.Weight, q.Dynamic, !q.Parent,
		}
	}
	if got, want := of("root.p.c"), (inherited{Resource{2048, 2}, false, 3 * time.Second, 9 * time.Second, unbounded, 1, false, true}); got != want {
		t.Errorf("root.p.c: got %+v, want %+v", got, want)
	}
	if got, want := of("root.p.made"), (inherited{Resource{2048, 2}, false, 3 * time.Second, 9 * time.Second, Resource{10, 1}, 1, true, true}); got != want {
		t.Errorf("root.p.made: got %+v, want %+v", got, want)
	}
	if got := parsed(t, Faults{}, `<fairSharePreemptionTimeout>8</fairSharePreemptionTimeout>`).Queue("root.x").FairSharePreemptionTimeout; got != 8*time.Second {
		t.Errorf("by its old name: %v", got)
	}
}

func TestTextAsAParserOfDocumentsHasIt(t *testing.T) {
	a := parsed(t, Faults{}, `<queue name=" a "><weight>1<!-- not 2 -->2</weight><aclSubmitApps><![CDATA[u ]]>g</aclSubmitApps></queue>`)
	q := a.Queue("root.a")
	if q.Weight != 12 || fmt.Sprint(q.Submit) != "{false [u] [g]}" {
		t.Errorf("%v, %v", q.Weight, q.Submit)
	}
	latin := []byte("\ufeff<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><allocations><queue name=\"\xe4\"/></allocations>")
	b, err := parseAllocations(latin, options)
	if err != nil || b.Queue("root.ä").Dynamic {
		t.Errorf("%v, %v", b, err)
	}
}

// FuzzAllocations: whatever a file has in it, it is refused with an error of the file or gives queues that are consistent.
func FuzzAllocations(f *testing.F) {
	_, cases := goldenFiles(f)
	for _, name := range []string{"allocfile", "placement"} {
		for _, c := range cases[name] {
			f.Add([]byte(must[struct{ AllocationFile string }](c.Input).AllocationFile), len(c.ID)%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, upstream bool) {
		o := options
		if upstream {
			o.Faults = Upstream()
		}
		a, err := parseAllocations(data, o)
		if err != nil {
			if _, ok := errors.AsType[*fileError](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		queues := a.Queues()
		if len(queues) == 0 || queues[0].Name != Root {
			t.Fatalf("no root in %v", queues)
		}
		conf := DefaultConfig()
		conf.Faults = o.Faults
		tree, err := New(0, conf, a)
		if err != nil {
			t.Fatal(err)
		}
		if len(tree.queues) != len(queues) {
			t.Fatalf("%d queues are made of %d", len(tree.queues), len(queues))
		}
		for _, q := range queues {
			if above := tree.queues[parentName(q.Name)]; q.Name != Root && (above == nil || above.leaf) {
				t.Fatalf("%s stands below what is no parent", q.Name)
			}
			if made := tree.queues[q.Name]; made == nil || made.leaf == q.Parent {
				t.Fatalf("%s is not made as the file has it", q.Name)
			}
			if !upstream && (!(q.Weight >= 0) || policyOf(q.Policy, Faults{}) == nil) {
				t.Fatalf("%s: weight %v, policy %q", q.Name, q.Weight, q.Policy)
			}
			cluster := Resource{1 << 40, 1 << 20}
			if most, least := q.MaxShare(cluster), q.MinShare(cluster); !least.Fits(most) {
				t.Fatalf("%s: minimum %v, maximum %v", q.Name, least, most)
			}
		}
		for _, queue := range []string{"default", "a.b", "."} {
			placed, err := a.Placement.Place(Submission{User: "u.v", Queue: queue, Groups: []string{"g", "h"}}, tree)
			if err == nil && placed != "" && placed != Root && !strings.HasPrefix(placed, Root+".") {
				t.Fatalf("placed in %q", placed)
			}
		}
	})
}
