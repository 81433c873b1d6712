package fair

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// goldenConf are settings of yarn-site.xml.
type goldenConf map[string]string

func (c goldenConf) options(faults Faults) Options {
	return Options{
		Faults:             faults,
		AllowUndeclared:    c["yarn.scheduler.fair.allow-undeclared-pools"] != "false",
		UserAsDefaultQueue: c["yarn.scheduler.fair.user-as-default-queue"] != "false",
	}
}

func (c goldenConf) get(key string) (string, bool) {
	text, ok := c[key]
	return text, ok
}

// goldenError is an exception and its causes.
type goldenError struct {
	Class, Message string
	Cause          *goldenError
}

// class is the last name of the innermost cause's class.
func (e *goldenError) class() string {
	if e == nil {
		return "none"
	}
	for e.Cause != nil {
		e = e.Cause
	}
	return e.Class[strings.LastIndexByte(e.Class, '.')+1:]
}

// goldenQueue is what Hadoop says of a queue.
type goldenQueue struct {
	Leaf                         bool
	Policy                       string
	Weight                       float32
	MinShare, MaxShare           goldenResource
	MaxRunningApps               int
	MaxAMShare                   float32
	MaxContainerAllocation       goldenResource
	MinSharePreemptionTimeoutMs  int64
	FairSharePreemptionTimeoutMs int64
	FairSharePreemptionThreshold float32
	Preemptable                  bool
	MaxChildShare                *goldenResource
	ACL                          map[string]string
}

func goldenMillis(d time.Duration) int64 {
	if d == never {
		return math.MaxInt64
	}
	return d.Milliseconds()
}

func goldenQueueOf(a *Allocations, s QueueSettings, cluster Resource, groups map[string][]string) goldenQueue {
	q := goldenQueue{
		Leaf: !s.Parent, Policy: s.Policy, Weight: s.Weight, MinShare: golden(s.MinShare(cluster)), MaxShare: golden(s.MaxShare(cluster)),
		MaxRunningApps: s.MaxRunningApps, MaxAMShare: s.MaxAMShare, MaxContainerAllocation: golden(s.MaxContainerAllocation),
		MinSharePreemptionTimeoutMs: goldenMillis(s.MinSharePreemptionTimeout), FairSharePreemptionTimeoutMs: goldenMillis(s.FairSharePreemptionTimeout),
		FairSharePreemptionThreshold: s.FairSharePreemptionThreshold, Preemptable: s.Preemptable, ACL: map[string]string{},
	}
	if s.MaxChild != nil {
		child := golden(s.MaxChild.Of(cluster))
		q.MaxChildShare = &child
	}
	for _, user := range goldenUsers {
		q.ACL[user] = goldenRights(a, s.Name, user, groups[user])
	}
	return q
}

// goldenUsers are those whose rights the cases have.
var goldenUsers = []string{"root", "alice", "bob", "carol"}

// goldenRights are what the access lists of a queue, and of those above it, give a user: S or - for submitting, then A or - for
// administering. That an administrator may submit as well is a rule of the scheduler and of no list.
func goldenRights(a *Allocations, queue, user string, groups []string) string {
	rights := []byte("--")
	if a.allowed(queue, func(q *queueElement) ACL { return q.submit }, user, groups) {
		rights[0] = 'S'
	}
	if a.MayAdminister(queue, user, groups) {
		rights[1] = 'A'
	}
	return string(rights)
}

// replayParse reads an allocation file.
func replayParse(c goldenCase, faults Faults) []string {
	in := must[struct {
		Conf           goldenConf
		AllocationFile string
		Groups         map[string][]string
		Cluster        goldenResource
	}](c.Input)
	want := must[struct {
		Queues         map[string]goldenQueue
		UserMaxApps    map[string]int
		PlacementRules []string
		Error          *goldenError
	}](c.Expected)
	var d differ
	if _, err := configOf(in.Conf.get); err != nil {
		d.check("class of the error", "YarnRuntimeException", want.Error.class())
		return d
	}
	a, err := parseAllocations([]byte(in.AllocationFile), in.Conf.options(faults))
	if err != nil || want.Error != nil {
		return sameFileError(err, want.Error)
	}
	queues := a.Queues()
	d.check("number of queues", len(queues), len(want.Queues))
	for _, s := range queues {
		wanted, ok := want.Queues[s.Name]
		if !ok {
			d.check("queue "+s.Name, "there", "missing")
			continue
		}
		for user, rights := range wanted.ACL {
			d.check(user+" may submit to "+s.Name, a.MaySubmit(s.Name, user, in.Groups[user]), rights != "--")
		}
		d.check("queue "+s.Name, fmt.Sprintf("%+v", goldenQueueOf(a, s, in.Cluster.resource(), in.Groups).flat()), fmt.Sprintf("%+v", wanted.flat()))
	}
	for user, n := range want.UserMaxApps {
		d.check("applications of "+user, a.UserMaxApps(user), n)
	}
	d.check("rules", fmt.Sprint(a.Placement.Rules()), fmt.Sprint(want.PlacementRules))
	return d
}

// flat is q without pointers, to be printed.
func (q goldenQueue) flat() any {
	child := "none"
	if q.MaxChildShare != nil {
		child = fmt.Sprint(*q.MaxChildShare)
	}
	q.MaxChildShare = nil
	return struct {
		goldenQueue
		Child string
	}{q, child}
}

// differ collects differences.
type differ []string

func (d *differ) check(what string, got, want any) {
	if got != want {
		*d = append(*d, fmt.Sprintf("%s:\n got %v\nwant %v", what, got, want))
	}
}

func sameFileError(err error, want *goldenError) (d differ) {
	var file *fileError
	switch {
	case want == nil:
		d.check("error", err, nil)
	case errors.As(err, &file):
		d.check("class of the error", string(file.Class), want.class())
	default:
		d.check("error", err, want.Message)
	}
	return d
}

// replayPlacement submits applications in turn to a tree of queues.
func replayPlacement(c goldenCase, faults Faults) []string {
	in := must[struct {
		Conf           goldenConf
		AllocationFile string
		Groups         map[string][]string
		Submissions    []struct{ User, Queue string }
	}](c.Input)
	want := must[struct {
		Results []struct {
			Placed   *string
			Accepted bool
			Rejected []string
			Error    *goldenError
		}
		QueuesAfter []string
	}](c.Expected)
	a, err := parseAllocations([]byte(in.AllocationFile), in.Conf.options(faults))
	if err != nil {
		return []string{err.Error()}
	}
	conf := DefaultConfig()
	conf.Faults = faults
	scheduler, err := New(0, conf, a)
	if err != nil {
		return []string{err.Error()}
	}
	var d differ
	for i, s := range in.Submissions {
		sub := Submission{User: s.User, Queue: s.Queue, Groups: in.Groups[s.User]}
		if _, ok := in.Groups[s.User]; !ok {
			sub.GroupsErr = fmt.Errorf("no groups for %s", s.User)
		}
		what := fmt.Sprintf("%d %s to %s", i, s.User, s.Queue)
		wanted := want.Results[i]
		placed, err := a.Placement.Place(sub, scheduler)
		bad := wanted.Error.class() == "InvalidQueueNameException" // which ends Hadoop's ResourceManager
		if bad && s.Queue == "" {
			continue
		}
		if err != nil || wanted.Error != nil && !bad {
			d = append(d, samePlacementError(what, err, wanted.Error)...)
			continue
		}
		wantPlaced := ""
		set(&wantPlaced, wanted.Placed)
		d.check(what, placed, wantPlaced)
		var rejected *rejectedError
		_, err = scheduler.AddApp(0, attemptOf(int32(i+1)).App, sub)
		errors.As(err, &rejected)
		d.check(what+": accepted", err == nil, wanted.Accepted)
		switch why := strings.Join(wanted.Rejected, " "); {
		case err == nil:
		case rejected == nil:
			d.check(what+": rejected", err, why)
		case placed == "":
			d.check(what+": by rules", strings.Contains(why, "rejected by placement rules"), true)
		case strings.HasSuffix(rejected.Reason, "is not a leaf queue"):
			d.check(what+": not a leaf", bad || strings.Contains(why, "is not a leaf queue"), true)
		default:
			d.check(what+": not allowed", strings.Contains(why, "does not have permission"), true)
		}
	}
	var queues []string
	for _, q := range scheduler.queues {
		name := q.Name
		if !q.leaf {
			name += "/"
		}
		if q.set.Dynamic {
			name += " (dynamic)"
		}
		queues = append(queues, name)
	}
	slices.Sort(queues)
	d.check("queues", fmt.Sprint(queues), fmt.Sprint(want.QueuesAfter))
	return d
}

func samePlacementError(what string, err error, want *goldenError) (d differ) {
	var placement *placementError
	switch {
	case want == nil:
		d.check(what, err, nil)
	case !errors.As(err, &placement):
		d.check(what, err, want.Message)
	case want.Cause != nil:
		d.check(what, err.Error(), want.Message+": "+want.Cause.Message)
	case strings.Contains(want.Message, "illegal queue name"):
		d.check(what+": illegal name", strings.Contains(err.Error(), "is not a queue's name"), true)
	}
	return d
}
