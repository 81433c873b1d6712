//coherer:pure

package fair

import (
	"slices"
	"strings"
)

// maxQueueName bounds the full name of a queue, in bytes.
const maxQueueName = 1000

// queue reads a queue element; above is the full name of the queue around it, "" for Root's own.
func (p *fileParser) queue(above string, e *element) {
	name := strings.TrimSpace(e.attr("name"))
	switch {
	case name == "":
		p.fail(refused(e, "", "a queue below %s has no name; write name=\"...\"", above))
		return
	case strings.Contains(name, "."):
		p.fail(refused(e, "queue "+name, "the name of a queue has no dot; put the queue inside the other's element"))
		return
	case above == "":
		name = Root
	default:
		name = above + "." + name
	}
	if len(name) > maxQueueName {
		p.fail(refused(e, "", "the full name of a queue has more than %d bytes", maxQueueName))
		return
	}
	// A second element of a name adds to the first, as in Hadoop.
	q := p.queues[name]
	if q == nil {
		q = &queueElement{}
		p.queues[name] = q
	} else if name != Root {
		p.warn(e, "queue %s appears twice: where both set something, this one counts", name)
	}
	parent := p.fields(name, q, e) // before ends, with the queues inside: Hadoop adds a name when its element ends
	if !slices.Contains(p.ends[parent], name) {
		p.ends[parent] = append(p.ends[parent], name)
	}
	if q.min != nil && q.max != nil && !q.max.Part && !q.min.Amount.Fits(q.max.Amount) {
		p.warn(e, "queue %s: its minimum %s is above its maximum %s, which is raised to it", name, q.min.Amount, q.max.Amount)
	}
}

// fields reads the children of a queue element. It reports whether the queue is a parent.
func (p *fileParser) fields(name string, q *queueElement, e *element) bool {
	where := "queue " + name
	var forbidden *element // a setting that a parent cannot have
	hasChildren, reserves := false, false
	for _, f := range e.children {
		switch f.name {
		case "queue", "pool":
			p.queue(name, f)
			hasChildren = true
		case "minResources":
			q.min = p.minimum(f, where)
		case "maxResources":
			q.max = keep(p.limit(f, where, missingUnlimited))
		case "maxChildResources":
			q.maxChild = keep(p.limit(f, where, missingUnlimited))
		case "maxContainerAllocation":
			q.maxContainer = p.maxContainer(f, where)
		case "maxRunningApps":
			n := 0
			p.int(f, where, &n)
			q.maxApps = &n
		case "maxAMShare":
			q.maxAMShare = keep(min(p.float(f, where), 1))
			forbidden = f
		case "weight":
			q.weight = keep(p.weight(f, where))
		case "minSharePreemptionTimeout":
			q.minTimeout = keep(never)
			p.seconds(f, where, q.minTimeout)
		case "fairSharePreemptionTimeout":
			q.fairTimeout = keep(never)
			p.seconds(f, where, q.fairTimeout)
		case "fairSharePreemptionThreshold":
			q.fairThreshold = keep(p.threshold(f, where))
		case "schedulingPolicy", "schedulingMode":
			q.policy = p.policy(f, where)
		case "aclSubmitApps":
			q.submit = parseACL(p.rawText(f, where))
		case "aclAdministerApps":
			q.administer = parseACL(p.rawText(f, where))
		case "allowPreemptionFrom":
			if !strings.EqualFold(p.text(f, where), "true") {
				q.notPreemptable = true
			}
		case "reservation":
			reserves, forbidden = true, f
			p.warn(f, "%s: reservations of resources ahead of time are not supported; the queue is a parent, and nothing can be submitted to it", where)
		case "aclAdministerReservations", "aclListReservations", "aclSubmitReservations":
			p.rawText(f, where)
			p.warn(f, "%s: <%s> is ignored: reservations of resources ahead of time are not supported", where, f.name)
		default:
			if p.faults.queueSuffixes && historicQueueTag(f.name) {
				p.queue(name, f)
				hasChildren = true
				continue
			}
			p.ignored(f, where, topSettings, "it belongs outside of queues")
		}
	}
	parent := hasChildren || e.attr("type") == "parent" // known only now: its children may come after the setting
	if parent && forbidden != nil {
		p.fail(refused(forbidden, where, "a queue with children, or with type=\"parent\", cannot have <%s>; take it out", forbidden.name))
	}
	isParent := parent || reserves // Hadoop makes a queue with <reservation> the parent of those of its plans
	q.reserves = q.reserves || reserves
	q.parent = q.parent || isParent // of several elements of a name one is enough
	return isParent
}

// The settings that can stand at the top and in a queue, for warnings about misplaced ones.
var (
	topSettings = []string{
		"user", "userMaxAppsDefault", "queueMaxAppsDefault", "queueMaxResourcesDefault", "queueMaxAMShareDefault",
		"defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode", "defaultMinSharePreemptionTimeout",
		"defaultFairSharePreemptionTimeout", "defaultFairSharePreemptionThreshold", "queuePlacementPolicy",
	}
	queueSettings = []string{
		"minResources", "maxResources", "maxChildResources", "maxContainerAllocation", "maxRunningApps", "maxAMShare", "weight",
		"minSharePreemptionTimeout", "fairSharePreemptionThreshold", "schedulingPolicy", "schedulingMode", "aclSubmitApps",
		"aclAdministerApps", "allowPreemptionFrom",
	}
)

// ignored warns of an element without effect at its place, and names the right place if elsewhere has it.
func (p *fileParser) ignored(e *element, where string, elsewhere []string, place string) {
	why := "no setting has this name"
	if slices.Contains(elsewhere, e.name) {
		why = place
	}
	if where != "" {
		where += ": "
	}
	p.warn(e, "%s<%s> is ignored: %s", where, e.name, why)
}

func keep[T any](v T) *T { return &v }

// minimum is nil where Hadoop ignores it without a warning: in per cent.
func (p *fileParser) minimum(f *element, where string) *Limit {
	l := p.limit(f, where, missingNone)
	if l.Part && p.faults.noMinimumParts {
		p.warn(f, "%s: minResources in per cent is 0", where)
		return nil
	}
	return &l
}

func (p *fileParser) maxContainer(f *element, where string) *Resource {
	l := p.limit(f, where, missingUnlimited)
	if l.Part {
		p.warn(f, "%s: maxContainerAllocation in per cent limits nothing; write it as an amount", where)
		return nil
	}
	return &l.Amount
}
