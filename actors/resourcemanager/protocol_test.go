package resourcemanager_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The scripts are about a ResourceManager in the process RM that keeps records. N1, N2 and N3 speak as NodeManagers of 8192 MiB and 8
// cores: they start what they shall. AM1 speaks as the ApplicationMaster of app_1, AM1.2 as that of its second attempt. Ids are
// short: container_1_2_3 is the third of attempt_1_2. 5x1024 is an ask for 5 containers of 1024 MiB and a core, anywhere.
//
// Scripts show what passes between processes; what of it is the same each time (heartbeats without news, keys, tokens) and the
// messages between the endpoints of RM they show after the verb whole. The verbs of their own; FIELDS are those of the message:
//
//	start, restart                 the ResourceManager begins; it ends as by kill -9, and another begins at its address
//	writes D|TEXT                  its records take a time to write, or cannot be written; records prints their names
//	lists [include=N1] [exclude=N2] FIELDS, allocations XML
//	                               the lists of hosts, which it reads then, and the allocation file
//	submit FIELDS                  a client's application; running NODE FIELDS: its ApplicationMaster runs on the node then
//	register N1|AM1 FIELDS         a node registers, or an ApplicationMaster
//	beat [D] N1 N2 FIELDS          heartbeats half a second later, or each second for a while
//	allocate AM1 FIELDS, finish AM1 FIELDS
//	starts CONTAINER, ends CONTAINER FIELDS, loses NODE [CONTAINER]
//	                               what nodes report from now on
//	report APP FIELD, place CONTAINER, books FIELD
//	                               prints fields of an application's report, how a container fares, what RM knows
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject { return newTalk(t, w) })
}

// talk is a ResourceManager that a script starts, with what the script speaks as.
type talk struct {
	*kit
	shelf   *shelf
	hosts   *lists
	file    *file
	asker   *rpctest.Probe // asks what scripts do not show
	begun   bool
	whole   bool
	hidden  map[string]bool // the trace's ids of what the asker asked, and of what followed
	nodes   []*nodeManager
	masters map[string]*appMaster
	given   map[string]*yarn.Container // by the name of its id
}

// newTalk makes what a script speaks as; the ResourceManager begins with its verb start.
func newTalk(t *testing.T, w *rpctest.World) script.Subject {
	w.NoPanic()
	k := &talk{
		kit:   &kit{World: w, t: t, env: w.Env("RM", nil), cfg: resourcemanager.Config{WebUIURL: "http://rm:8088", Keys: keys(t)}},
		shelf: &shelf{records: map[string][]byte{}}, hosts: &lists{}, masters: map[string]*appMaster{}, given: map[string]*yarn.Container{},
		hidden: map[string]bool{},
	}
	k.cfg.Store, k.cfg.Hosts = k.shelf, k.hosts
	k.env.Log().Logger.AddHook(&k.errors)
	k.tool = w.ProbeIn(w.Env("Client", nil), "YarnClient")
	k.asker = w.ProbeIn(k.tool.Env, "Asker")
	for _, name := range []string{"N1", "N2", "N3"} {
		k.nodes = append(k.nodes, k.newNode(name, 8192, 8))
	}
	return script.Subject{
		Ref: k.ref(resourcemanager.Name), Omit: k.omit, Short: k.printed, Long: long,
		Verbs: map[string]func(string) (string, error){
			"start": k.startVerb, "restart": k.restartVerb, "writes": k.writes, "records": k.records, "lists": k.lists, "allocations": k.allocations,
			"submit": k.submitVerb, "running": k.runningVerb, "register": k.register, "beat": k.beat, "allocate": k.allocate, "finish": k.finish,
			"starts": k.starts, "ends": k.ends, "loses": k.loses, "report": k.reportVerb, "books": k.books, "place": k.place,
			"whole": func(string) (string, error) { k.whole = true; return "", nil },
		},
	}
}

// start makes the ResourceManager.
func (k *talk) startVerb(string) (string, error) {
	k.begun = true
	_, err := resourcemanager.Start(k.env, k.cfg)
	return "", err
}

// restart ends the ResourceManager as kill -9 does and begins another one at its address.
func (k *talk) restartVerb(string) (string, error) {
	k.Find("RM").Kill()
	k.Settle()
	k.Advance(1800 * time.Millisecond)
	at := k.env.Address()
	var err error
	k.env, err = rpcenv.New(k.Host("RM", at.Host), rpcenv.Config{Name: "RM", Listen: at, Conf: k.env.Conf(), Log: k.env.Log()})
	if err != nil {
		return "", err
	}
	return k.startVerb("")
}

// writes makes the writing of records take a time or fail: 5s|TEXT.
func (k *talk) writes(how string) (string, error) {
	if d, err := time.ParseDuration(how); err == nil {
		k.shelf.latency = d
	} else {
		k.shelf.fail = errors.New(how)
	}
	return "", nil
}

// records prints the names of the records.
func (k *talk) records(string) (string, error) {
	return strings.Join(slices.Sorted(maps.Keys(k.shelf.records)), " "), nil
}

// allocations writes the allocation file: XML, or fail TEXT, with which reading it fails. A script that does not use it before the start
// has no allocation file.
func (k *talk) allocations(xml string) (string, error) {
	if k.file == nil {
		k.file = &file{}
		k.cfg.Allocations = k.file
	}
	if why, fails := strings.CutPrefix(xml, "fail "); fails {
		k.file.fail = errors.New(why)
	}
	k.file.content, k.file.modified = xml, k.Now()
	return "", nil
}

// lists writes the lists of hosts and makes the ResourceManager read them: [include=N1,N2] [exclude=N3] FIELDS of the request, or
// fail TEXT: they cannot be read.
func (k *talk) lists(args string) (string, error) {
	k.hosts.include, k.hosts.exclude, k.hosts.fail = nil, nil, nil
	if why, fails := strings.CutPrefix(args, "fail "); fails {
		k.hosts.fail, args = errors.New(why), ""
	}
	var fields []string
	for word := range strings.FieldsSeq(args) {
		key, value, _ := strings.Cut(word, "=")
		list := map[string]*[]string{"include": &k.hosts.include, "exclude": &k.hosts.exclude}[key]
		if list == nil {
			fields = append(fields, word)
			continue
		}
		for name := range strings.SplitSeq(value, ",") {
			*list = append(*list, k.Find(name).IP())
		}
	}
	q, err := script.Fill(&yarn.RefreshNodesRequest{}, strings.Join(fields, " "))
	if !k.begun {
		return "", err
	}
	asks(k, k.tool, ids.ResourceTracker, q, func(rpcenv.Message) {})
	return "", err
}

// asks asks an endpoint; the forest has the answer.
func asks[R rpcenv.Message](k *talk, p *rpctest.Probe, endpoint string, q rpcenv.Message, then func(R)) {
	p.Do(func(c *rpcenv.Context) {
		rpcenv.AskAs(c, k.ref(endpoint), q, func(r R, err error) {
			if err == nil {
				then(r)
			}
		})
	})
}

// submit hands an application in, whose ApplicationMaster has 1024 MiB.
func (k *talk) submitVerb(fields string) (string, error) {
	r, err := rpctest.Ask[*yarn.GetNewApplicationResponse](k.asker, k.ref(resourcemanager.Name), &yarn.GetNewApplicationRequest{})
	if err != nil {
		return "", err
	}
	s, err := script.Fill(&yarn.ApplicationSubmissionContext{
		ApplicationId: r.GetApplicationId(), ApplicationName: "app", Queue: "default", User: "ada", ApplicationType: "SPARK",
		AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}, fields)
	if err != nil {
		return "", err
	}
	asks(k, k.tool, resourcemanager.Name, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: s}, func(rpcenv.Message) {})
	return "", nil
}

// runningVerb is submit, beat and register: the ApplicationMaster runs on a node: NODE FIELDS of the submission.
func (k *talk) runningVerb(args string) (string, error) {
	node, fields, _ := strings.Cut(args, " ")
	if _, err := k.submitVerb(fields); err != nil {
		return "", err
	}
	k.Settle()
	if _, err := k.beat(node); err != nil {
		return "", err
	}
	k.Settle()
	n := k.node(node)
	_, own := n.startedLast()
	return k.register(masterName(own.GetAppAttemptId()))
}

// masterName is AM1, or AM1.2 of a second attempt.
func masterName(a *yarn.ApplicationAttemptId) string {
	return strings.TrimSuffix(fmt.Sprintf("AM%d.%d", a.GetApplicationId().GetId(), a.GetAttemptId()), ".1")
}

// node is the node of that name; nil: none is.
func (k *talk) node(name string) *nodeManager {
	i := slices.IndexFunc(k.nodes, func(n *nodeManager) bool { return n.Env.Name() == name })
	if i < 0 {
		return nil
	}
	return k.nodes[i]
}

// master is the ApplicationMaster of that name, which a node was asked to start.
func (k *talk) master(name string) (*appMaster, error) {
	if a := k.masters[name]; a != nil {
		return a, nil
	}
	for _, n := range k.nodes {
		for _, s := range n.started {
			var says yarn.ContainerTokenIdentifier
			t, err := token.Find(s.GetContainerLaunchContext().GetTokens(), token.AMRM)
			if err != nil || token.Identify(s.GetContainerToken(), &says) != nil || masterName(says.GetContainerId().GetAppAttemptId()) != name {
				continue
			}
			id := says.GetContainerId()
			k.masters[name] = &appMaster{Probe: k.ProbeIn(k.Env(name, nil), "YarnAM"), k: k.kit, attempt: id.GetAppAttemptId(), token: t, own: id}
			return k.masters[name], nil
		}
	}
	return nil, fmt.Errorf("%s is no node, and no ApplicationMaster that was started", name)
}

// register registers a node, with what runs there, or an ApplicationMaster.
func (k *talk) register(args string) (string, error) {
	name, fields, _ := strings.Cut(args, " ")
	if n := k.node(name); n != nil {
		q := proto.CloneOf(n.reg)
		for _, c := range n.running {
			q.ContainerStatuses = append(q.ContainerStatuses, &yarn.NMContainerStatus{
				ContainerId: c.GetContainerId(), ContainerState: c.GetState(), Resource: c.GetCapability(), ContainerExitStatus: c.GetExitStatus(),
			})
		}
		if strings.HasPrefix(fields, "resource=") {
			q.Resource = nil
		}
		q, err := script.Fill(q, fields)
		n.response = 0
		asks(k, n.Probe, ids.ResourceTracker, q, func(rpcenv.Message) {})
		return "", err
	}
	a, err := k.master(name)
	if err != nil {
		return "", err
	}
	q, err := script.Fill(&yarn.RegisterApplicationMasterRequest{
		Host: "am.example", RpcPort: 4040, TrackingUrl: "http://am.example:4041", ApplicationAttemptId: a.attempt, AmRmToken: a.token,
	}, fields)
	asks(k, a.Probe, ids.ApplicationMasterService, q, func(rpcenv.Message) { a.response = 0 })
	return "", err
}

// beat is a heartbeat of each node half a second later, or one each second for a while: [13s] N1 N2 FIELDS of the status.
func (k *talk) beat(args string) (string, error) {
	word, rest, _ := strings.Cut(args, " ")
	lasts, err := time.ParseDuration(word)
	if err == nil {
		args = rest
	}
	var nodes []*nodeManager
	for word, rest, _ := strings.Cut(args, " "); k.node(word) != nil; word, rest, _ = strings.Cut(args, " ") {
		nodes, args = append(nodes, k.node(word)), rest
	}
	if len(nodes) == 0 {
		return "", errors.New("want: beat [DURATION] NODE ... FIELDS")
	}
	for end := k.Now().Add(lasts); ; {
		k.Advance(max(500*time.Millisecond, min(time.Second, lasts)))
		for _, n := range nodes {
			if err := k.heartbeat(n, args); err != nil {
				return "", err
			}
		}
		if !k.Now().Before(end) {
			return "", nil
		}
	}
}

func (k *talk) heartbeat(n *nodeManager, fields string) error {
	q := &yarn.NodeStatus{NodeId: n.reg.GetNodeId(), NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: !strings.Contains(fields, "nodeHealthStatus=")}}
	if !strings.Contains(fields, "responseId=") {
		q.ResponseId = n.response
	}
	for _, c := range n.running {
		q.ContainersStatuses = append(q.ContainersStatuses, proto.CloneOf(c))
	}
	q, err := script.Fill(q, fields)
	asks(k, n.Probe, ids.ResourceTracker, &yarn.NodeHeartbeatRequest{NodeStatus: q}, func(r *yarn.NodeHeartbeatResponse) {
		if r.GetNodeAction() == yarn.NodeAction_NORMAL {
			n.response = r.GetResponseId()
		}
	})
	k.Settle()
	return err
}

// ends makes the next heartbeats say that a container ended: CONTAINER FIELDS of its status.
func (k *talk) ends(args string) (string, error) {
	name, fields, _ := strings.Cut(short(args), " ")
	for _, n := range k.nodes {
		for _, s := range n.running {
			if nameOf(s.GetContainerId()) == name {
				s.State, s.ExitStatus = yarn.ContainerState_C_COMPLETE, 0
				_, err := script.Fill(s, fields)
				return "", err
			}
		}
	}
	return "", fmt.Errorf("%s runs nowhere", name)
}

// loses makes a node forget what runs there: NODE CONTAINER ..., or all.
func (k *talk) loses(args string) (string, error) {
	name, rest, _ := strings.Cut(args, " ")
	n := k.node(name)
	if n == nil {
		return "", fmt.Errorf("no node is called %s", name)
	}
	lost := strings.Fields(short(rest))
	n.running = slices.DeleteFunc(n.running, func(s *yarn.ContainerStatus) bool {
		return len(lost) == 0 || slices.Contains(lost, nameOf(s.GetContainerId()))
	})
	return "", nil
}

// allocate is a call of an ApplicationMaster, with the response id that is due.
func (k *talk) allocate(args string) (string, error) {
	name, fields, _ := strings.Cut(args, " ")
	a, err := k.master(name)
	if err != nil {
		return "", err
	}
	q := &yarn.AllocateRequest{ApplicationAttemptId: a.attempt, AmRmToken: a.token}
	if !strings.Contains(fields, "responseId=") {
		q.ResponseId = a.response
	}
	q, err = script.Fill(q, fields)
	asks(k, a.Probe, ids.ApplicationMasterService, q, func(r *yarn.AllocateResponse) {
		a.response = r.GetResponseId()
		for _, c := range r.GetAllocatedContainers() {
			k.given[nameOf(c.GetId())] = c
		}
	})
	return "", err
}

// finish is the end of an ApplicationMaster, which succeeds.
func (k *talk) finish(args string) (string, error) {
	name, fields, _ := strings.Cut(args, " ")
	a, err := k.master(name)
	if err != nil {
		return "", err
	}
	q, err := script.Fill(&yarn.FinishApplicationMasterRequest{
		ApplicationAttemptId: a.attempt, AmRmToken: a.token, FinalApplicationStatus: yarn.FinalApplicationStatus_APP_SUCCEEDED, Diagnostics: "done",
	}, fields)
	asks(k, a.Probe, ids.ApplicationMasterService, q, func(rpcenv.Message) {})
	return "", err
}

// starts makes a container run on its node, as its ApplicationMaster would: CONTAINER ...
func (k *talk) starts(args string) (string, error) {
	for name := range strings.FieldsSeq(short(args)) {
		c := k.given[name]
		if c == nil {
			return "", fmt.Errorf("%s was not given", name)
		}
		for _, n := range k.nodes {
			if proto.Equal(n.reg.GetNodeId(), c.GetNodeId()) {
				n.runs(c.GetId(), c.GetResource())
			}
		}
	}
	return "", nil
}

// report prints fields of an application's report: APP FIELD ...
func (k *talk) reportVerb(args string) (string, error) {
	name, fields, _ := strings.Cut(short(args), " ")
	q, err := script.Fill(&yarn.GetApplicationReportRequest{}, long("applicationId="+name))
	if err != nil {
		return "", err
	}
	r, err := rpctest.Ask[*yarn.GetApplicationReportResponse](k.asker, k.ref(resourcemanager.Name), q)
	return name + " " + cmp.Or(script.Books(r.GetApplicationReport(), fields), "all zero"), err
}

// place prints how containers fare: CONTAINER ...
func (k *talk) place(args string) (string, error) {
	var b strings.Builder
	for name := range strings.FieldsSeq(short(args)) {
		q, err := script.Fill(&yarn.RequestContainerPlace{}, long("containerId="+name))
		if err != nil {
			return "", err
		}
		r, err := rpctest.Ask[*yarn.ContainerPlace](k.asker, k.ref(resourcemanager.Name), q)
		if err != nil {
			fmt.Fprintf(&b, "%s %v\n", name, err)
			continue
		}
		for _, n := range k.nodes {
			if proto.Equal(n.reg.GetNodeId(), r.GetNodeId()) {
				name += " on " + n.Env.Name()
			}
		}
		r.Id, r.NodeId = nil, nil
		fmt.Fprintln(&b, name, strings.Join(strings.Split(strings.TrimSpace(script.Books(r, "")), "\n"), " "))
	}
	return b.String(), nil
}

// books prints fields of what the ResourceManager knows.
func (k *talk) books(fields string) (string, error) {
	s, err := rpctest.Ask[*yarn.ResourceManagerStateResponse](k.asker, k.ref(resourcemanager.Name), &yarn.RequestResourceManagerState{})
	return script.Books(s, fields), err
}
