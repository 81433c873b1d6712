//coherer:pure

package fair

import (
	"fmt"
	"strings"
)

// Options are the settings of yarn-site.xml that change the meaning of an allocation file.
type Options struct {
	Faults             Faults
	AllowUndeclared    bool // yarn.scheduler.fair.allow-undeclared-pools, true in Hadoop
	UserAsDefaultQueue bool // yarn.scheduler.fair.user-as-default-queue, true in Hadoop
}

// NoAllocations are the allocations without a file: the queue Root, without limits.
func NoAllocations(o Options) *Allocations {
	a := &Allocations{
		Placement: defaultPlacement(o), faults: o.Faults, defaults: noDefaults(),
		queues: map[string]*queueElement{}, missing: map[string]bool{}, users: map[string]int{},
		ends: map[bool][]string{},
	}
	a.queues[Root] = &queueElement{parent: true, submit: ACL{Everybody: true}, administer: ACL{Everybody: true}}
	a.settle()
	return a
}

// parseAllocations reads an allocation file, fair-scheduler.xml, as Hadoop's AllocationFileLoaderService does. Its error is a
// *fileError. Parts without effect are no errors: see Allocations.Warnings.
func parseAllocations(data []byte, o Options) (*Allocations, error) {
	top, err := parseXML(data)
	if err != nil {
		return nil, err
	}
	if top.name != "allocations" {
		return nil, refuseTop(top)
	}
	p := fileParser{Allocations: NoAllocations(o), values: map[string]*element{}}
	p.top(top)
	if p.err != nil {
		return nil, p.err
	}
	p.settle() // first: policies, by which queues are left out, may be inherited from the defaults
	p.leaveOut()
	return p.Allocations, nil
}

// refuseTop is the error of a file without <allocations>, which names the CapacityScheduler if the file is for that.
func refuseTop(top *element) error {
	if top.name == "configuration" {
		for _, property := range top.children {
			for _, field := range property.children {
				if field.name == "name" && strings.HasPrefix(strings.TrimSpace(field.text), "yarn.scheduler.capacity.") {
					return refused(field, "", "this is a capacity-scheduler.xml (it has %s); the CapacityScheduler is not supported: "+
						"write the queues in a fair-scheduler.xml, <allocations><queue name=\"...\"/></allocations>", strings.TrimSpace(field.text))
				}
			}
		}
	}
	return refused(top, "", "its top element is <%s>; that of an allocation file is <allocations>", top.name)
}

// fileParser fills Allocations; the first error stays.
type fileParser struct {
	*Allocations
	err      error
	values   map[string]*element // of defaults, by name; the last one counts
	queueTop []*element
}

func (p *fileParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *fileParser) warn(e *element, format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf("line %d: %s", e.line, fmt.Sprintf(format, args...)))
}

// top reads the children of <allocations>: queues before rules, and rules before defaults, as Hadoop does. The order decides
// which error of several is reported.
func (p *fileParser) top(top *element) {
	var placement *element
	for _, e := range top.children {
		switch e.name {
		case "queue", "pool":
			p.queueTop = append(p.queueTop, e)
		case "user":
			p.user(e)
		case "queuePlacementPolicy":
			placement = e
		case "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode":
			p.defaultPolicy(e)
		case "userMaxAppsDefault", "queueMaxAppsDefault", "queueMaxResourcesDefault", "queueMaxAMShareDefault",
			"defaultMinSharePreemptionTimeout", "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout",
			"defaultFairSharePreemptionThreshold":
			p.rawText(e, "") // an empty one is an error, even if a later one of its name replaces it
			p.values[e.name] = e
		case "reservation-agent", "reservation-planner", "reservation-policy":
			p.rawText(e, "")
			p.warn(e, "<%s> is ignored: reservations of resources ahead of time are not supported", e.name)
		default:
			p.ignored(e, "", queueSettings, "it belongs in a queue")
		}
	}
	p.queueElements()
	if placement != nil {
		p.placement(placement)
	}
	p.defaultValues()
}

// defaultValues reads the defaults of queues and users. Settings of preemption in the element of root hold for all queues, and
// replace the file's own.
func (p *fileParser) defaultValues() {
	d, root := &p.defaults, p.queues[Root]
	own := func(set bool, e *element) bool {
		if set && e != nil {
			p.warn(e, "<%s> is ignored: root has its own, which holds for all queues", e.name)
		}
		return set
	}
	if e := p.values["defaultMinSharePreemptionTimeout"]; !own(root.minTimeout != nil, e) && e != nil {
		p.seconds(e, "", &d.minTimeout)
	}
	fair := p.values["defaultFairSharePreemptionTimeout"]
	if fair == nil { // its other name counts only then
		fair = p.values["fairSharePreemptionTimeout"]
	}
	if !own(root.fairTimeout != nil, fair) && fair != nil {
		p.seconds(fair, "", &d.fairTimeout)
	}
	if e := p.values["defaultFairSharePreemptionThreshold"]; !own(root.fairThreshold != nil, e) && e != nil {
		d.fairThreshold = p.threshold(e, "")
	}
	if e := p.values["userMaxAppsDefault"]; e != nil {
		p.int(e, "", &d.userMaxApps)
	}
	if e := p.values["queueMaxResourcesDefault"]; e != nil {
		d.queueMax = p.limit(e, "", missingUnlimited)
	}
	if e := p.values["queueMaxAppsDefault"]; e != nil {
		p.int(e, "", &d.queueMaxApps)
	}
	if e := p.values["queueMaxAMShareDefault"]; e != nil {
		d.queueMaxAMShare = min(p.float(e, ""), 1)
	}
}

func (p *fileParser) user(e *element) {
	user := e.attr("name")
	for _, field := range e.children {
		if field.name != "maxRunningApps" {
			p.warn(field, "<%s> of user %s is ignored: only maxRunningApps counts", field.name, user)
			continue
		}
		n := 0
		p.int(field, "user "+user, &n)
		p.users[user] = n
	}
}

func (p *fileParser) defaultPolicy(e *element) {
	name := p.policy(e, "")
	if name == policyFIFO && (!p.faults.fifoByClass || strings.EqualFold(p.text(e, ""), name)) {
		p.fail(refused(e, e.name, "the default policy cannot be FIFO, which only queues without children can have; write fair or drf"))
	}
	p.defaults.policy = name
}

// queueElements reads the queues. An element of Root has to be the only one.
func (p *fileParser) queueElements() {
	for _, e := range p.queueTop {
		name := e.attr("name")
		if !strings.EqualFold(name, Root) {
			p.queue(Root, e)
			continue
		}
		if len(p.queueTop) > 1 {
			p.fail(refused(e, "queue root", "with an element of its own root has all other queues inside it; move them there"))
		}
		if p.faults.rootInOneCase && name != Root {
			p.historicRoot(e)
			continue
		}
		p.queue("", e)
	}
}
