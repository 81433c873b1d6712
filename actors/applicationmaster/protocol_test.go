package applicationmaster

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts are about an ApplicationMaster in the process AM. In cluster mode its driver lives there too, in client mode in the
// process Driver; AM listens in both, so that scripts can send to it. The ResourceManager RM and the NodeManager NM agree to
// everything unless a script says otherwise. Files removes what the client staged.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		k := newTalk(w)
		return script.Subject{Ref: k.ref, Short: short.Replace, Verbs: map[string]func(string) (string, error){
			"start": k.start, "give": k.give, "ends": k.ends, "next": k.nextAnswer, "processes": script.ProcessesOf(w, k.inside.Env).Print,
			"ready": k.ready, "ended": k.ended, "terminated": k.terminated,
		}}
	})
}

// short names attempts, and the containers of the first.
var short = strings.NewReplacer(
	"appattempt_1_0001_00000", "attempt-", "container_1_0001_01_00000", "container-",
	"{applicationId={id=1} attemptId=1}", "attempt-1", "{applicationId={id=1} attemptId=2}", "attempt-2",
)

// talk is a World with an ApplicationMaster that a script starts.
type talk struct {
	*rpctest.World
	ref                             rpcenv.Ref
	rm, node, driver, inside, files *rpctest.Probe

	am     *ApplicationMaster
	config Config
	given  int64                  // containers
	next   *yarn.AllocateResponse // what the next answer says
}

func newTalk(w *rpctest.World) *talk {
	w.NoPanic()
	k := &talk{World: w, next: &yarn.AllocateResponse{}}
	k.rm = w.ProbeIn(w.Env("RM", nil), ServiceName)
	k.rm.On(k.resourceManager)
	k.node = w.ProbeIn(w.Env("NM", nil), NodeName)
	k.node.On(k.nodeManager)
	k.driver = w.ProbeIn(w.Env("Driver", nil), SchedulerName)
	k.files = w.Probe("Files")
	k.inside = w.ProbeIn(w.Env("AM", nil), SchedulerName)
	for _, p := range []*rpctest.Probe{k.driver, k.inside} {
		p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*app.RetrieveLastAllocatedExecutorId)
			if ok {
				rpcenv.Reply(c, q, &app.LastAllocatedExecutorId{})
			}
			return ok
		})
	}
	k.files.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		rpcenv.ReplyAs(c, m, &rpc.Bool{Value: true})
		return true
	})
	k.ref = k.inside.Env.Ref(k.inside.Env.Address(), Name)
	k.config = Config{
		Attempt: ids.Attempt{App: ids.Application{Timestamp: 1, ID: 1}}, ResourceManager: k.rm.Env.Address(), Driver: k.driver.Env.Address(),
		Host: "node1", HistoryURL: "http://history", ProxyBase: "/proxy/application_1",
	}
	return k
}

// resourceManager agrees to everything, and gives what the script put into the next answer.
func (k *talk) resourceManager(c *rpcenv.Context, m rpcenv.Message) bool {
	switch q := m.(type) {
	case *yarn.RegisterApplicationMasterRequest:
		rpcenv.Reply(c, q, &yarn.RegisterApplicationMasterResponse{})
	case *yarn.AllocateRequest:
		answer := k.next
		k.next = &yarn.AllocateResponse{}
		answer.ResponseId = q.GetResponseId() + 1
		rpcenv.Reply(c, q, answer)
	case *yarn.FinishApplicationMasterRequest:
		rpcenv.Reply(c, q, &yarn.FinishApplicationMasterResponse{IsUnregistered: true})
	default:
		return false
	}
	return true
}

// nodeManager starts what it is asked to.
func (k *talk) nodeManager(c *rpcenv.Context, m rpcenv.Message) bool {
	if q, ok := m.(*yarn.StartContainersRequest); ok {
		rpcenv.Reply(c, q, &yarn.StartContainersResponse{SucceededRequests: []*yarn.ContainerId{{}}})
	}
	return false // it is kept
}

// files is a directory that the process Files removes.
type files struct{ ref rpcenv.Ref }

func (f files) Remove(b *rpcenv.Blocking) error {
	_, err := rpcenv.AskWaitAs[*rpc.Bool](b, f.ref, wrapperspb.String("remove the staging directory"))
	return err
}

// start makes the ApplicationMaster: cluster attempt=N token page=URL files.
func (k *talk) start(args string) (string, error) {
	k.config.Attempt.Attempt++ // the next one
	for word := range strings.FieldsSeq(args) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "cluster":
			k.config.ClusterMode = true
		case "attempt":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil {
				return "", err
			}
			k.config.Attempt.Attempt = int32(n)
		case "token":
			k.config.Token = &yarn.Token{Kind: "AMRMToken"}
		case "page":
			k.config.TrackingURL = value
		case "files":
			k.config.Staging = files{k.files.Ref}
		default:
			return "", fmt.Errorf("start %s: want cluster, attempt=, token, page= or files", args)
		}
	}
	if k.inside.Crashed() {
		k.inside.Restart()
	}
	var err error
	if k.am, err = New(k.config); err == nil {
		_, err = k.inside.Env.Register(Name, k.am)
	}
	return "", err
}

// give puts containers on NM into the next answer, each of which has the fields that are given behind their number.
func (k *talk) give(args string) (string, error) {
	number, fields, _ := strings.Cut(args, " ")
	n, err := strconv.Atoi(number)
	for range n {
		k.given++
		at := k.node.Env.Address()
		var c *yarn.Container
		c, err = script.Fill(&yarn.Container{
			Id: k.container(k.given), NodeId: &yarn.NodeId{Host: at.Host, Port: int32(at.Port)}, Priority: &yarn.Priority{},
			Resource: &yarn.Resource{Memory: 2048, VirtualCores: 1}, ContainerToken: &yarn.Token{Kind: "ContainerToken"},
		}, fields)
		k.next.AllocatedContainers = append(k.next.AllocatedContainers, c)
	}
	return "", err
}

func (k *talk) container(seq int64) *yarn.ContainerId {
	return ids.Container{Attempt: k.config.Attempt, Seq: seq}.Proto()
}

// ends puts the end of a container into the next answer: NUMBER STATUS.
func (k *talk) ends(args string) (string, error) {
	var seq int64
	var status int32
	_, err := fmt.Sscan(args, &seq, &status)
	k.next.CompletedContainerStatuses = append(k.next.CompletedContainerStatuses, &yarn.ContainerStatus{
		ContainerId: k.container(seq), State: yarn.ContainerState_C_COMPLETE, ExitStatus: status, Diagnostics: "a crash",
	})
	return "", err
}

// nextAnswer puts fields into the next answer.
func (k *talk) nextAnswer(fields string) (string, error) {
	_, err := script.Fill(k.next, fields)
	return "", err
}

// ready is what the program's thread says of its driver: [PAGE].
func (k *talk) ready(page string) (string, error) {
	k.inside.Ask(k.ref, ContextReady{TrackingURL: page})
	return "", nil
}

// ended is what it says in the end: [CODE] [TEXT].
func (k *talk) ended(args string) (string, error) {
	m := UserEnded{Err: args}
	number, text, _ := strings.Cut(args, " ")
	if code, err := strconv.Atoi(number); err == nil {
		m = UserEnded{Code: code, Err: text}
	}
	k.inside.Send(k.ref, m)
	return "", nil
}

// terminated asks the process to end.
func (k *talk) terminated(string) (string, error) {
	k.inside.Send(k.ref, Terminated{})
	return "", nil
}
