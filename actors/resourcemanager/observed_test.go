package resourcemanager_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// oursDiffer are inputs of testdata/observed.txt that we answer otherwise on purpose: with what, and why.
var oursDiffer = map[string][2]string{
	"submit to a queue with a dot at its end": {
		`ok | FAILED application of user ada: "root.c." is not a queue's name, since it begins or ends with a dot or a space`, "the report says it",
	},
	"register twice":                {"ok | root.c.d <memory:4096, vCores:4> [MEMORY, CPU] 0", "before the first allocate the answer may have been lost"},
	"submit to an empty queue name": {"ok | FAILED Reject application APP submitted by user ada application rejected by placement rules.", "it is no name: default is meant"},
}

// names stand for ids and addresses in testdata/observed.txt.
var standIns = []struct {
	of   *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`container_(e\d+_)?\d+_\d+_\d+_\d+`), "CONTAINER"},
	{regexp.MustCompile(`appattempt_\d+_\d+_\d+`), "ATTEMPT"},
	{regexp.MustCompile(`application_\d+_\d+`), "APP"},
	{regexp.MustCompile(`10\.0\.0\.\d+:\d+`), "NODE"},
	{regexp.MustCompile(`10\.0\.0\.\d+`), "HOST"},
}

// TestBadInputIsAnsweredAsHadoopDoes compares with testdata/observed.txt: class and text.
func TestBadInputIsAnsweredAsHadoopDoes(t *testing.T) {
	text, err := os.ReadFile("testdata/observed.txt")
	if err != nil {
		t.Fatal(err)
	}
	o := newObserver(t)
	asked := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 3)
		if strings.HasPrefix(line, "#") || len(part) != 3 {
			continue
		}
		input, want := part[0], strings.TrimSpace(part[1]+" | "+part[2])
		ask := o.inputs[input]
		if ask == nil {
			t.Errorf("nobody asks %q", input)
			continue
		}
		asked[input] = true
		answer, err := ask()
		got := strings.TrimSpace("ok | " + answer)
		if r, ok := errors.AsType[*rpcenv.RemoteError](err); ok {
			class, said, _ := strings.Cut(r.Error(), ": ")
			got = class + " | " + said
		} else if err != nil {
			got = err.Error()
		}
		got = strings.ReplaceAll(got, "\n", `\n`)
		for _, s := range standIns {
			got = s.of.ReplaceAllString(got, s.name)
		}
		if other, ok := oursDiffer[input]; ok {
			if want == other[0] {
				t.Errorf("%s: %q is no difference", input, want)
			}
			want = other[0]
		}
		if got != want {
			t.Errorf("%s:\n  %s\nwant\n  %s", input, got, want)
		}
	}
	for input := range o.inputs {
		if !asked[input] {
			t.Errorf("Hadoop was not asked %q", input)
		}
	}
}

// observer asks a ResourceManager what Hadoop's was asked.
type observer struct {
	*kit
	n            *nodeManager
	am, ended    *appMaster
	app, running ids.Application
	stranger     *nodeManager
	inputs       map[string]func() (string, error)
}

func newObserver(t *testing.T) *observer {
	t.Helper()
	o := &observer{inputs: map[string]func() (string, error){}}
	o.kit = kitWith(t, resourcemanager.Config{Allocations: &file{content: `<allocations>
		<queue name="a"/><queue name="c"><queue name="d"/></queue>
		<queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy></allocations>`}},
		"yarn.scheduler.maximum-allocation-mb", "4096", "yarn.scheduler.maximum-allocation-vcores", "4")
	o.n = o.node("N1", 8192, 8)
	_, o.running = o.kit.running(o.n, inQueue("root.a"))
	o.ended, o.app = o.kit.running(o.n, inQueue("root.a"))
	o.end(o.ended, yarn.FinalApplicationStatus_APP_SUCCEEDED)
	o.client()
	o.master()
	o.tracker()
	return o
}

// end is the good end of an application.
func (o *observer) end(am *appMaster, status yarn.FinalApplicationStatus) {
	o.t.Helper()
	am.finish(status)
	o.n.ends(am.own, 0, "")
	o.n.beat()
	o.n.beat()
}

// is adds an input.
func (o *observer) is(input string, ask func() (string, error)) { o.inputs[input] = ask }

func asked[R rpcenv.Message](o *observer, p *rpctest.Probe, endpoint string, q rpcenv.Message, say func(R) string) (string, error) {
	r, err := rpctest.Ask[R](p, o.ref(endpoint), q)
	if err != nil {
		return "", err
	}
	o.Settle()
	return say(r), nil
}

// client adds what clients ask.
func (o *observer) client() {
	unknown := &yarn.ApplicationId{ClusterTimestamp: o.running.Timestamp, Id: 9999}
	toClient := func(q rpcenv.Message) (string, error) {
		switch q.(type) {
		case *yarn.GetApplicationReportRequest:
			return asked(o, o.tool, "ClientRMService", q, func(*yarn.GetApplicationReportResponse) string { return "" })
		case *yarn.KillApplicationRequest:
			return asked(o, o.tool, "ClientRMService", q, func(r *yarn.KillApplicationResponse) string { return fmt.Sprint(r.GetIsKillCompleted()) })
		case *yarn.FailApplicationAttemptRequest:
			return asked(o, o.tool, "ClientRMService", q, func(*yarn.FailApplicationAttemptResponse) string { return "" })
		case *yarn.GetQueueInfoRequest:
			return asked(o, o.tool, "ClientRMService", q, func(r *yarn.GetQueueInfoResponse) string {
				if r.GetQueueInfo() == nil {
					return "no queue"
				}
				return r.GetQueueInfo().GetQueueName()
			})
		}
		return "", fmt.Errorf("what is %T", q)
	}
	for input, q := range map[string]rpcenv.Message{
		"report unknown":                      &yarn.GetApplicationReportRequest{ApplicationId: unknown},
		"report without id":                   &yarn.GetApplicationReportRequest{},
		"kill unknown":                        &yarn.KillApplicationRequest{ApplicationId: unknown},
		"kill ended":                          &yarn.KillApplicationRequest{ApplicationId: o.app.Proto()},
		"fail attempt of unknown application": &yarn.FailApplicationAttemptRequest{ApplicationAttemptId: &yarn.ApplicationAttemptId{ApplicationId: unknown, AttemptId: 1}},
		"fail unknown attempt":                &yarn.FailApplicationAttemptRequest{ApplicationAttemptId: &yarn.ApplicationAttemptId{ApplicationId: o.running.Proto(), AttemptId: 7}},
		"queue info unknown":                  &yarn.GetQueueInfoRequest{QueueName: "zz"},
		"queue info a":                        &yarn.GetQueueInfoRequest{QueueName: "a"},
		"queue info root.a":                   &yarn.GetQueueInfoRequest{QueueName: "root.a"},
	} {
		o.is(input, func() (string, error) { return toClient(q) })
	}
	o.is("kill with a reason", func() (string, error) {
		_, app := o.kit.running(o.n, inQueue("root.a"))
		_, err := toClient(&yarn.KillApplicationRequest{ApplicationId: app.Proto(), Diagnostics: "because"})
		o.n.beat()
		r := o.report(app)
		return fmt.Sprintf("%.1f %s", r.GetProgress(), r.GetDiagnostics()), err
	})
	for input, id := range map[string]ids.Application{"running": o.running, "ended": o.app} {
		o.is("submit id of "+map[string]string{"running": "a running", "ended": "an ended"}[input]+" application", func() (string, error) {
			before := o.report(id).GetName()
			_, err := o.trySubmit(id.Proto(), func(s *yarn.ApplicationSubmissionContext) { s.ApplicationName = "again" })
			return "accepted, nothing happens: " + map[string]string{"running": "Words", "ended": "Pi"}[input] + strings.TrimPrefix(o.report(id).GetName(), before), err
		})
	}
	size := func(memory int64, vcores int32) func(*yarn.ApplicationSubmissionContext) {
		return func(s *yarn.ApplicationSubmissionContext) {
			s.Resource = &yarn.Resource{Memory: memory, VirtualCores: vcores}
		}
	}
	request := func(place, label string) func(*yarn.ApplicationSubmissionContext) {
		return func(s *yarn.ApplicationSubmissionContext) {
			r := anywhere(1)
			r.ResourceName, r.NodeLabelExpression = place, label
			s.AmContainerResourceRequest = []*yarn.ResourceRequest{r}
		}
	}
	tags := func(tags ...string) func(*yarn.ApplicationSubmissionContext) {
		return func(s *yarn.ApplicationSubmissionContext) { s.ApplicationTags = tags }
	}
	for input, change := range map[string]func(*yarn.ApplicationSubmissionContext){
		"to an unknown queue": inQueue("root.zz"), "to a parent queue": inQueue("root.c"), "to root": inQueue("root"),
		"to a queue with a dot at its end": inQueue("root.c."), "to an empty queue name": inQueue(""),
		"AM memory above the maximum": size(5000, 1), "AM vcores above the maximum": size(1024, 5),
		"AM memory negative": size(-1, 1), "AM vcores negative": size(1024, -1),
		"AM label": func(s *yarn.ApplicationSubmissionContext) { s.NodeLabelExpression = "gpu" }, "AM request label": request("*", "gpu"),
		"AM request for a host": request("localhost", ""), "tag of 101 letters": tags(strings.Repeat("x", 101)),
		"11 tags": tags("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"), "tag that is not ASCII": tags("é"),
	} {
		o.is("submit "+input, func() (string, error) { return o.trySubmit(nil, change) })
	}
}

// trySubmit submits under an id, or a new one, and says how the application is then.
func (o *observer) trySubmit(id *yarn.ApplicationId, change func(*yarn.ApplicationSubmissionContext)) (string, error) {
	if id == nil {
		id = ask[*yarn.GetNewApplicationResponse](o.kit, o.tool, "ClientRMService", &yarn.GetNewApplicationRequest{}).GetApplicationId()
	}
	s := &yarn.ApplicationSubmissionContext{
		ApplicationId: id, ApplicationName: "app", Queue: "root.a", User: "ada", ApplicationType: "SPARK",
		AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}
	change(s)
	return asked(o, o.tool, "ClientRMService", &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: s}, func(*yarn.SubmitApplicationResponse) string {
		app, err := ids.ApplicationFrom(id)
		if err != nil {
			return err.Error()
		}
		r := o.report(app)
		return r.GetYarnApplicationState().String() + " " + r.GetDiagnostics()
	})
}

// master adds what ApplicationMasters ask, in this order.
func (o *observer) master() {
	allocate := func(change func(*yarn.AllocateRequest), say func(*yarn.AllocateResponse) string) func() (string, error) {
		return func() (string, error) {
			q := &yarn.AllocateRequest{ResponseId: o.am.response}
			change(q)
			r, err := o.am.try(q)
			if err != nil {
				return "", err
			}
			o.am.response = r.GetResponseId()
			o.Settle()
			return say(r), nil
		}
	}
	counts := func(r *yarn.AllocateResponse) string {
		return fmt.Sprintf("containers %d, completed %d", len(r.GetAllocatedContainers()), len(r.GetCompletedContainerStatuses()))
	}
	withID := func(r *yarn.AllocateResponse) string {
		return fmt.Sprintf("responseId %d, %s", r.GetResponseId(), counts(r))
	}
	taken := func(*yarn.AllocateResponse) string { return "taken" }
	plain := func(*yarn.AllocateRequest) {}
	numbered := func(id int32) func(*yarn.AllocateRequest) { return func(q *yarn.AllocateRequest) { q.ResponseId = id } }
	register := func() (string, error) {
		r, err := o.am.tryRegister()
		if err != nil {
			return "", err
		}
		m := r.GetMaximumCapability()
		return fmt.Sprintf("%s <memory:%d, vCores:%d> [MEMORY, CPU] %d", r.GetQueue(), m.GetMemory(), m.GetVirtualCores(), len(r.GetContainersFromPreviousAttempts())), nil
	}
	finish := func() (string, error) {
		r, err := o.am.tryFinish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
		o.Settle()
		return fmt.Sprint(r.GetIsUnregistered()), err
	}
	begin := func() {
		o.app = o.submit(inQueue("root.c.d"))
		o.n.beat()
		o.n.beat()
		o.am = o.launched(o.n)
	}
	o.is("allocate before register", func() (string, error) { begin(); return allocate(plain, counts)() })
	o.is("finish before register", finish)
	o.is("register", register)
	o.is("register twice", register)
	o.is("first allocate with responseId 1", allocate(numbered(1), withID))
	o.is("first allocate", allocate(plain, withID))
	o.is("second allocate", allocate(plain, withID))
	for _, id := range []int32{1, 0, 7, -1, math.MaxInt32, math.MinInt32} {
		o.is(fmt.Sprintf("last answer 2, responseId %d", id), allocate(numbered(id), withID))
	}
	for input, change := range map[string]func(*yarn.ResourceRequest){
		"memory above the maximum":            func(r *yarn.ResourceRequest) { r.Capability.Memory = 5000 },
		"vcores above the maximum":            func(r *yarn.ResourceRequest) { r.Capability.VirtualCores = 5 },
		"memory and vcores above the maximum": func(r *yarn.ResourceRequest) { r.Capability = &yarn.Resource{Memory: 5000, VirtualCores: 5} },
		"memory negative":                     func(r *yarn.ResourceRequest) { r.Capability.Memory = -5 },
		"vcores negative":                     func(r *yarn.ResourceRequest) { r.Capability.VirtualCores = -1 },
		"memory largest":                      func(r *yarn.ResourceRequest) { r.Capability.Memory = math.MaxInt64 },
		"count negative":                      func(r *yarn.ResourceRequest) { r.NumContainers = -3 },
		"priority negative":                   func(r *yarn.ResourceRequest) { r.Priority, r.NumContainers = &yarn.Priority{Priority: -1}, 0 },
		"with a label":                        func(r *yarn.ResourceRequest) { r.NodeLabelExpression = "gpu" },
		"with an empty label":                 func(r *yarn.ResourceRequest) { r.NodeLabelExpression, r.NumContainers = "", 0 },
	} {
		o.is("ask "+input, allocate(func(q *yarn.AllocateRequest) {
			r := anywhere(1)
			change(r)
			q.Ask = []*yarn.ResourceRequest{r}
		}, taken))
	}
	for input, b := range map[string]*yarn.ResourceBlacklistRequest{
		"blacklist everything":      {BlacklistAdditions: []string{"*"}},
		"blacklist an unknown host": {BlacklistAdditions: []string{"nowhere"}},
		"unblacklist what is not":   {BlacklistRemovals: []string{"*", "never"}},
	} {
		o.is(input, allocate(func(q *yarn.AllocateRequest) { q.BlacklistRequest = b }, taken))
	}
	for input, of := range map[string]func() (ids.Application, int32, int64){
		"another application's container": func() (ids.Application, int32, int64) { return o.running, 1, 2 },
		"another attempt's container":     func() (ids.Application, int32, int64) { return o.app, 2, 2 },
		"what never was":                  func() (ids.Application, int32, int64) { return o.app, 1, 4711 },
	} {
		o.is("release of "+input, allocate(func(q *yarn.AllocateRequest) {
			app, attempt, seq := of()
			q.Release = []*yarn.ContainerId{ids.Container{Attempt: ids.Attempt{App: app, Attempt: attempt}, Seq: seq}.Proto()}
		}, counts))
	}
	for input, p := range map[string]float32{"NaN": float32(math.NaN()), "-1.0": -1, "2.0": 2, "Infinity": float32(math.Inf(1))} {
		o.is("progress "+input, allocate(func(q *yarn.AllocateRequest) { q.Progress = p }, func(*yarn.AllocateResponse) string {
			o.Settle()
			return fmt.Sprintf("%.1f", o.report(o.app).GetProgress())
		}))
	}
	o.is("finish", finish)
	o.is("finish again while FINISHING", finish)
	o.is("allocate after finish", allocate(plain, counts))
	o.is("ask after finish", func() (string, error) {
		got := 0
		count := func(r *yarn.AllocateResponse) string {
			got += len(r.GetAllocatedContainers())
			return fmt.Sprint("containers ", got)
		}
		said, err := allocate(func(q *yarn.AllocateRequest) { q.Ask = []*yarn.ResourceRequest{anywhere(1)} }, count)()
		for range 3 {
			if o.n.beat(); err == nil {
				said, err = allocate(plain, count)()
			}
		}
		return said, err
	})
	o.is("register after finish", register)
	o.is("finish after FINISHED", func() (string, error) {
		o.n.ends(o.am.own, 0, "")
		o.n.beat()
		o.n.beat()
		return finish()
	})
	o.is("allocate after FINISHED", allocate(plain, counts))
	o.is("register after FINISHED", register)
	o.is("allocate after kill", func() (string, error) {
		begin()
		o.am.register()
		ask[*yarn.KillApplicationResponse](o.kit, o.tool, "ClientRMService", &yarn.KillApplicationRequest{ApplicationId: o.app.Proto()})
		o.n.beat()
		return allocate(plain, counts)()
	})
	o.is("finish after kill", finish)
	o.is("register after kill", register)
	o.is("finish UNDEFINED", func() (string, error) {
		begin()
		o.am.register()
		_, err := rpctest.Ask[*yarn.FinishApplicationMasterResponse](o.am.Probe, o.ref("ApplicationMasterService"), &yarn.FinishApplicationMasterRequest{
			Diagnostics: "bye", ApplicationAttemptId: o.am.attempt, AmRmToken: o.am.token,
		})
		o.Settle()
		r := o.report(o.app)
		return fmt.Sprintf("FINISHING %s %s", strings.TrimPrefix(r.GetFinalApplicationStatus().String(), "APP_"), r.GetDiagnostics()), err
	})
}

// tracker adds what NodeManagers ask, in this order.
func (o *observer) tracker() {
	beat := func(id int32) func() (string, error) {
		return func() (string, error) {
			q := &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{NodeId: o.stranger.reg.GetNodeId(), ResponseId: id, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: true}}}
			return asked(o, o.stranger.Probe, "ResourceTracker", q, func(r *yarn.NodeHeartbeatResponse) string {
				return said(r.GetNodeAction(), r.GetDiagnosticsMessage()) + fmt.Sprintf(" responseId %d", r.GetResponseId())
			})
		}
	}
	register := func(memory int64, vcores int32) func() (string, error) {
		return func() (string, error) {
			o.stranger.reg.Resource = &yarn.Resource{Memory: memory, VirtualCores: vcores}
			return asked(o, o.stranger.Probe, "ResourceTracker", o.stranger.reg, func(r *yarn.RegisterNodeManagerResponse) string {
				return said(r.GetNodeAction(), r.GetDiagnosticsMessage())
			})
		}
	}
	unregister := func(id func() *yarn.NodeId) func() (string, error) {
		return func() (string, error) {
			return asked(o, o.stranger.Probe, "ResourceTracker", &yarn.UnRegisterNodeManagerRequest{NodeId: id()}, func(*yarn.UnRegisterNodeManagerResponse) string { return "" })
		}
	}
	o.is("heartbeat of an unknown node", func() (string, error) { o.stranger = o.newNode("N3", 4096, 4); return beat(0)() })
	o.is("register a node", register(4096, 4))
	o.is("register a node below the minimum memory", func() (string, error) {
		known := o.stranger
		o.stranger = o.newNode("N4", 4096, 4)
		defer func() { o.stranger = known }()
		return register(512, 4)()
	})
	o.is("register a node below the minimum vcores", func() (string, error) {
		known := o.stranger
		o.stranger = o.newNode("N5", 4096, 4)
		defer func() { o.stranger = known }()
		return register(4096, 0)()
	})
	for _, id := range []int32{0, 1, 2} {
		o.is(fmt.Sprintf("heartbeat responseId %d", id), beat(id))
	}
	o.is("heartbeat too old", beat(1))
	o.is("heartbeat after RESYNC", beat(0))
	o.is("unregister a node", unregister(func() *yarn.NodeId { return o.stranger.reg.GetNodeId() }))
	o.is("unregister an unknown node", unregister(func() *yarn.NodeId { return &yarn.NodeId{Host: "nowhere", Port: 1} }))
	o.is("heartbeat after unregister", beat(0))
}

// said is a text for a NodeManager, with null for none.
func said(a yarn.NodeAction, words string) string {
	if words == "" {
		words = "null"
	}
	return strings.TrimPrefix(a.String(), "NODE_") + " " + words
}
