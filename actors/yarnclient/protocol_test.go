package yarnclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripts are about a client in the process Client; in client mode that is its driver, which listens. RM speaks as the
// ResourceManager: unless a script says otherwise, it gives application 1, whose id is $app, and takes it. Messages take no time.
func TestProtocol(t *testing.T) { script.RunAll(t, newTalk) }

// talk is a World with a client that a script starts.
type talk struct {
	*rpctest.World
	env        *rpcenv.Env // the client's
	rm, driver *rpctest.Probe
	files      *files
	handedIn   *yarn.ApplicationSubmissionContext // the last one
}

func newTalk(w *rpctest.World) script.Subject {
	w.NoPanic()
	w.Latency(0, 0)
	k := &talk{World: w, files: &files{}}
	k.rm = w.ProbeIn(w.Env("RM", nil), ids.ClientRMService)
	k.env = w.Env("Client", nil)
	k.driver = w.ProbeIn(k.env, "Driver")
	k.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *yarn.GetNewApplicationRequest:
			rpcenv.Reply(c, m, &yarn.GetNewApplicationResponse{
				ApplicationId:     &yarn.ApplicationId{Id: 1, ClusterTimestamp: 1767225600000},
				MaximumCapability: &yarn.Resource{Memory: 8192, VirtualCores: 4},
			})
		case *yarn.SubmitApplicationRequest:
			k.handedIn = m.GetApplicationSubmissionContext()
			rpcenv.Reply(c, m, &yarn.SubmitApplicationResponse{})
		default:
			return false
		}
		return true
	})
	const app = "application_1767225600000_0001"
	return script.Subject{
		Ref: k.env.Ref(k.env.Address(), Name), Short: strings.NewReplacer(app, "$app").Replace, Long: strings.NewReplacer("$app", app).Replace,
		Verbs: map[string]func(string) (string, error){
			"start": k.start, "giveup": k.giveUp, "heard": k.heard, "files": k.files.verb, "submission": k.submission,
		},
	}
}

// start makes the client: cluster, client, kill=ID, status=ID; user=NAME, name=NAME and rm=ADDRESS replace what else is meant.
func (k *talk) start(args string) (string, error) {
	cfg := Config{ResourceManager: k.rm.Env.Address()}
	for word := range strings.FieldsSeq(args) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "cluster":
			cfg.Submit = &Submission{Mode: submit.Cluster, Name: "n", Class: "prog", Jar: "file:/bin/prog", Args: []string{"a b"}}
		case "client":
			cfg.Submit = &Submission{Mode: submit.Client, Library: "/bin/coherer", Driver: rpcenv.Address{Host: "10.0.0.9", Port: 4}}
			cfg.Listener = k.driver.Ref
		case "kill":
			cfg.Kill = value
		case "status":
			cfg.Status = value
		case "user":
			cfg.Submit.User = value
		case "name":
			cfg.Submit.Name = value
		case "rm":
			cfg.ResourceManager, _ = rpcenv.ParseAddress(value)
		default:
			return "", fmt.Errorf("start %s: want cluster, client, kill=, status=, user=, name= or rm=", args)
		}
	}
	if s := cfg.Submit; s != nil {
		s.Program, s.Files = "/bin/prog", k.files
		if s.User == "" {
			s.User = "u"
		}
	}
	_, err := k.env.Register(Name, New(cfg))
	return "", err
}

// giveUp asks for the end of the application; the answer is in the forest.
func (k *talk) giveUp(string) (string, error) {
	k.driver.Ask(k.env.Ref(k.env.Address(), Name), GiveUp{})
	return "", nil
}

// heard prints what the driver heard since.
func (k *talk) heard(string) (string, error) {
	return script.Heard(k.driver, ""), nil
}

// submission prints what was handed in, a line each: the plain fields, other fields, what the ApplicationMaster's container gets, and
// the settings in its files. Words say how the lines begin that are wanted.
func (k *talk) submission(words string) (string, error) {
	plain := proto.CloneOf(k.handedIn)
	plain.AmContainerSpec = nil
	lines := strings.Split(strings.TrimSpace(script.Books(plain, "")), "\n")
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	launch := k.handedIn.GetAmContainerSpec()
	for _, v := range launch.GetCommand() {
		add("command %s", v)
	}
	for _, v := range launch.GetEnvironment() {
		add("variable %s=%s", v.GetKey(), v.GetValue())
	}
	for _, r := range launch.GetLocalResources() {
		v := r.GetValue()
		add("file %s %s size %d time %d %s %s", r.GetKey(), v.GetResource().GetFile(), v.GetSize(), v.GetTimestamp(), v.GetType(), v.GetVisibility())
	}
	for _, e := range k.files.archive {
		for pair := range strings.Lines(e.Content) {
			add("%s %s", e.Name, strings.TrimSpace(pair))
		}
	}
	wanted := strings.Fields(words)
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		first, _, _ := strings.Cut(line, " ")
		return len(wanted) > 0 && !slices.Contains(wanted, first)
	}), "\n"), nil
}

// files are a user's home, in memory.
type files struct {
	did     []string
	archive []ArchiveEntry
	fails   map[string]error // by what is done
	slow    time.Duration    // how long copying and removing take
	scheme  string           // of what is staged; empty: file
}

// verb prints what was done with files since. Of what is done from now on: fail WHAT TEXT, slow D, scheme NAME.
func (f *files) verb(args string) (string, error) {
	how, rest, _ := strings.Cut(args, " ")
	switch how {
	case "":
		text := strings.Join(f.did, "\n")
		f.did = nil
		return text, nil
	case "fail":
		what, text, _ := strings.Cut(rest, " ")
		f.fails = map[string]error{what: errors.New(text)}
		return "", nil
	case "slow":
		var err error
		f.slow, err = time.ParseDuration(rest)
		return "", err
	case "scheme":
		f.scheme = rest
		return "", nil
	}
	return "", fmt.Errorf("files %s: want nothing, fail, slow or scheme", args)
}

func (f *files) Home() (string, error) { return "file:/home/u", f.fails["home"] }

func (f *files) Copy(b *rpcenv.Blocking, dir, name, path string) (Staged, error) {
	if f.slow > 0 {
		if err := b.Sleep(f.slow); err != nil {
			return Staged{}, err
		}
	}
	f.did = append(f.did, "copy "+path+" "+dir+"/"+name)
	if f.scheme != "" {
		dir = f.scheme + strings.TrimPrefix(dir, "file")
	}
	return Staged{URI: dir + "/" + name, Size: int64(len(path)), Timestamp: 7, Visibility: yarn.LocalResourceVisibility_PRIVATE}, f.fails["copy"]
}

func (f *files) Archive(_ *rpcenv.Blocking, dir, name string, entries []ArchiveEntry) (Staged, error) {
	f.did, f.archive = append(f.did, "archive "+dir+"/"+name), entries
	return Staged{URI: dir + "/" + name, Size: 1, Timestamp: 8, Visibility: yarn.LocalResourceVisibility_PUBLIC}, f.fails["archive"]
}

func (f *files) Remove(b *rpcenv.Blocking, dir string) error {
	f.did = append(f.did, "remove "+dir)
	if f.slow > 0 {
		_ = b.Sleep(f.slow) // a client that ends meanwhile is no matter of this file system
	}
	return f.fails["remove"]
}
