package nodemanager

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// The scripts are about a NodeManager of 4096 MiB and 4 cores in the process NM1. RM speaks as the ResourceManager: unless a script says
// otherwise, it takes the node, and answers each heartbeat with its own period of a second. AM speaks as the ApplicationMaster of
// app_1. Ids are short: container_1_1_2 is the second container of its first attempt. Messages take no time.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject { return newTalk(t, w) })
}

// talk is a NodeManager that a script starts.
type talk struct {
	*kit
	main    *rpctest.Probe // speaks in the NodeManager's process
	fakes   *fakes
	members map[string]rpcenv.Address // of the verb member
}

func newTalk(t *testing.T, w *rpctest.World) script.Subject {
	k := &talk{kit: newKitIn(t, w), fakes: &fakes{}, members: map[string]rpcenv.Address{}}
	w.Latency(0, 0)
	k.begin(nil)
	k.nm = k.env.Ref(k.env.Address(), Name)
	k.main = w.ProbeIn(k.env, "Main")
	w.ProbeIn(w.Env("RM2", nil), ids.ResourceTracker).On(k.playRM)
	processes := script.ProcessesOf(w, k.env, ContainerClass)
	return script.Subject{
		Ref: k.nm, State: k.state, Short: short, Long: long,
		Verbs: map[string]func(string) (string, error){
			"start": k.startVerb, "container": k.container, "am": k.asAM, "shutdown": k.shutdown, "disk": k.disk, "slow": k.slow,
			"member": k.member, "exits": processes.Exit, "processes": processes.Print,
		},
	}
}

// start starts the NodeManager; with the word disk the verb disk prints what it does there, with the word membership it knows no
// ResourceManager.
func (k *talk) startVerb(word string) (string, error) {
	cfg := k.whole(Config{HTTPPort: 8042})
	switch word {
	case "disk":
		cfg.Containers = dirs{k.fakes}
	case "membership":
		cfg.ResourceManager, cfg.Membership = rpcenv.Address{}, true
	}
	_, err := k.env.Register(Name, New(cfg))
	return "", err
}

// member says that a process is there, or not: joined|left|suspected|failed NAME [ROLE].
func (k *talk) member(args string) (string, error) {
	words := append(strings.Fields(args), membership.RoleResourceManager)
	if len(words) < 3 {
		return "", fmt.Errorf("member %s: want joined, left, suspected or failed, and a process", args)
	}
	if k.w.Find(words[1]) != nil {
		k.members[words[1]] = k.w.At(words[1])
	}
	m := membership.Member{Name: words[1], Role: words[2], RPC: k.members[words[1]]}
	return "", k.env.Send(k.nm, map[string]rpcenv.Message{
		"joined": membership.MemberJoined{Member: m}, "left": membership.MemberLeft{Member: m},
		"suspected": membership.MemberSuspected{Member: m}, "failed": membership.MemberFailed{Member: m},
	}[words[0]])
}

// container asks for the container of that number; the answer is in the forest.
func (k *talk) container(number string) (string, error) {
	seq, err := strconv.ParseInt(number, 10, 64)
	q := &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{k.entry(k.identifier(containerID(app1, seq)), withResources())}, NmToken: k.nmToken(app1),
	}
	k.am.Ask(k.nm, q)
	return "", err
}

// asAM makes the ApplicationMaster ask with its NMToken; the answer is in the forest.
func (k *talk) asAM(text string) (string, error) {
	q, err := syntax.ParseMessage(text)
	if err != nil {
		return "", err
	}
	m := q.ProtoReflect()
	m.Set(m.Descriptor().Fields().ByName("nm_token"), protoreflect.ValueOfMessage(k.nmToken(app1).ProtoReflect()))
	k.am.Ask(k.nm, q)
	return "", nil
}

// shutdown makes the process shut its NodeManager down; the answer is in the forest.
func (k *talk) shutdown(string) (string, error) {
	k.main.Ask(k.nm, Shutdown{})
	return "", nil
}

// slow makes it take five seconds to remove the directories of the container of that number.
func (k *talk) slow(number string) (string, error) {
	seq, err := strconv.ParseInt(number, 10, 64)
	k.fakes.stuck = containerID(app1, seq)
	return "", err
}

// disk prints what was done with directories since.
func (k *talk) disk(string) (string, error) {
	text := strings.Join(k.fakes.log, "\n")
	k.fakes.log = nil
	return text, nil
}

func (k *talk) state(what string) string {
	s, err := rpctest.Ask[*yarn.NodeManagerStateResponse](k.am, k.nm, &yarn.RequestNodeManagerState{})
	if err != nil {
		return err.Error()
	}
	return script.Books(s, what)
}

const begun = "1767225600000"

var (
	inText   = regexp.MustCompile(`\bcontainer_` + begun + `_0001_01_0*(\d+)`)
	inObject = regexp.MustCompile(`\{appAttemptId=\{applicationId=\{id=1(?: clusterTimestamp=` + begun + `)?\} attemptId=1\} id=(\d+)\}`)
	inScript = regexp.MustCompile(`\bcontainer_1_1_(\d+)`)
)

// short is a text with short ids.
func short(text string) string {
	text = strings.ReplaceAll(text, "application_"+begun+"_0001", "app_1")
	return inObject.ReplaceAllString(inText.ReplaceAllString(text, "container_1_1_$1"), "container_1_1_$1")
}

// long is a line of a script with the ids of messages.
func long(line string) string {
	line = inScript.ReplaceAllString(line, "{appAttemptId={applicationId=app_1 attemptId=1} id=$1}")
	return strings.ReplaceAll(line, "app_1", "{id=1 clusterTimestamp="+begun+"}")
}
