package yarnclient

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var appID = &yarn.ApplicationId{Id: 1, ClusterTimestamp: 1767225600000}

const appText = "application_1767225600000_0001"

// files are a user's home, in memory.
type files struct {
	did     []string
	archive []ArchiveEntry
	slow    time.Duration // how long copying and removing take
	scheme  string        // of what is staged; empty: file

	err, noHome, noArchive, stays error // of Copy, Home, Archive and Remove
}

func (f *files) Home() (string, error) { return "file:/home/u", f.noHome }

func (f *files) Copy(b *rpcenv.Blocking, dir, name, path string) (Staged, error) {
	if f.slow > 0 {
		f.err = b.Sleep(f.slow)
	}
	f.did = append(f.did, "copy "+path+" "+dir+"/"+name)
	if f.scheme != "" {
		dir = f.scheme + strings.TrimPrefix(dir, "file")
	}
	return Staged{URI: dir + "/" + name, Size: int64(len(path)), Timestamp: 7, Visibility: yarn.LocalResourceVisibility_PRIVATE}, f.err
}

func (f *files) Archive(_ *rpcenv.Blocking, dir, name string, entries []ArchiveEntry) (Staged, error) {
	f.did, f.archive = append(f.did, "archive "+dir+"/"+name), entries
	return Staged{URI: dir + "/" + name, Size: 1, Timestamp: 8, Visibility: yarn.LocalResourceVisibility_PUBLIC}, f.noArchive
}

func (f *files) Remove(b *rpcenv.Blocking, dir string) error {
	f.did = append(f.did, "remove "+dir)
	if f.slow > 0 {
		_ = b.Sleep(f.slow) // a Client that ends meanwhile is no matter of this file system
	}
	return f.stays
}

// kit is a World with a ResourceManager that a test plays, and a client. Messages take no time, so times are exact.
type kit struct {
	t       *testing.T
	w       *rpctest.World
	files   *files
	service *rpctest.Probe
	got     []string // what the ResourceManager was asked: time, message
	handed  *yarn.ApplicationSubmissionContext
	began   time.Time
	host    *sim.Host
	env     *rpcenv.Env
	ref     rpcenv.Ref
	said    *test.Hook
	heard   []string // what the listener got
	why     []string // the diagnostics of the ends that the ResourceManager was asked for
}

// manager answers as a ResourceManager does; reports are those of the application one by one, the last one for ever.
type manager struct {
	most    int64
	forgets int    // how often a submission is not known
	noID    bool   // an ask for an id is answered without one
	noIDs   error  // what an ask for an id fails with
	refuses error  // what a submission fails with
	again   error  // what one that is handed in again fails with
	immune  error  // what an end fails with
	asks    func() // what happens when it is asked for a report
	reports []*yarn.ApplicationReport
	unknown bool
	kills   int // how often the end is not stored
	reading int // how many calls it answers that it reads its records
}

func state(s yarn.YarnApplicationState) *yarn.ApplicationReport {
	return &yarn.ApplicationReport{YarnApplicationState: s, Queue: "root.q"}
}

func ended(s yarn.YarnApplicationState, f yarn.FinalApplicationStatus, why string) *yarn.ApplicationReport {
	return &yarn.ApplicationReport{YarnApplicationState: s, FinalApplicationStatus: f, Diagnostics: why}
}

var succeeded = ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_SUCCEEDED, "")

func (k *kit) answer(m *manager) func(*rpcenv.Context, rpcenv.Message) bool {
	return func(c *rpcenv.Context, msg rpcenv.Message) bool {
		name := string(msg.(proto.Message).ProtoReflect().Descriptor().Name())
		k.got = append(k.got, k.w.Now().Sub(k.began).String()+" "+strings.TrimSuffix(name, "Request"))
		if q, named := msg.(interface{ GetApplicationId() *yarn.ApplicationId }); named && !proto.Equal(q.GetApplicationId(), appID) {
			k.t.Errorf("%s is about %v", name, q.GetApplicationId())
		}
		if m.reading > 0 {
			m.reading--
			rpcenv.Fail(c, msg, fmt.Errorf("%w: it reads its records", exceptions.Retriable))
			return true
		}
		switch q := msg.(type) {
		case *yarn.GetNewApplicationRequest:
			if m.noIDs != nil {
				rpcenv.Fail(c, q, m.noIDs)
				return true
			}
			if m.noID {
				rpcenv.Reply(c, q, &yarn.GetNewApplicationResponse{MaximumCapability: &yarn.Resource{Memory: m.most}})
				return true
			}
			rpcenv.Reply(c, q, &yarn.GetNewApplicationResponse{ApplicationId: appID, MaximumCapability: &yarn.Resource{Memory: m.most, VirtualCores: 4}})
		case *yarn.SubmitApplicationRequest:
			again := k.handed != nil
			if k.handed = q.GetApplicationSubmissionContext(); !proto.Equal(k.handed.GetApplicationId(), appID) {
				k.t.Errorf("%v is handed in", k.handed.GetApplicationId())
			}
			if again && m.again != nil {
				rpcenv.Fail(c, q, m.again)
				return true
			}
			if m.refuses != nil {
				rpcenv.Fail(c, q, m.refuses)
				return true
			}
			rpcenv.Reply(c, q, &yarn.SubmitApplicationResponse{})
		case *yarn.GetApplicationReportRequest:
			if m.asks != nil {
				m.asks()
			}
			if m.unknown || m.forgets > 0 {
				m.forgets--
				rpcenv.Fail(c, q, fmt.Errorf("%w: no such application", exceptions.ApplicationNotFound))
				return true
			}
			rpcenv.Reply(c, q, &yarn.GetApplicationReportResponse{ApplicationReport: m.reports[0]})
			if len(m.reports) > 1 {
				m.reports = m.reports[1:]
			} else if m.kills < 0 {
				m.unknown = true
			}
		case *yarn.KillApplicationRequest:
			k.why = append(k.why, q.GetDiagnostics())
			if m.immune != nil {
				rpcenv.Fail(c, q, m.immune)
				return true
			}
			if m.unknown {
				rpcenv.Fail(c, q, exceptions.ApplicationNotFound)
				return true
			}
			m.kills--
			rpcenv.Reply(c, q, &yarn.KillApplicationResponse{IsKillCompleted: m.kills < 0})
		}
		return true
	}
}

func cluster() *Submission {
	return &Submission{Mode: submit.Cluster, Name: "n", User: "u", Program: "/bin/prog", Class: "prog", Jar: "file:/bin/prog", Args: []string{"a b"}}
}

func client() *Submission {
	return &Submission{Mode: submit.Client, User: "u", Program: "/bin/prog", Library: "/bin/coherer", Driver: rpcenv.Address{Host: "10.0.0.9", Port: 4}}
}

func start(t *testing.T, cfg Config, m *manager, settings ...string) *kit {
	t.Helper()
	return startWith(t, &files{}, cfg, m, settings...)
}

// startWith is start with files that fail, or are slow.
func startWith(t *testing.T, f *files, cfg Config, m *manager, settings ...string) *kit {
	t.Helper()
	k := &kit{t: t, w: rpctest.New(t, 1), files: f}
	k.service = k.w.ProbeIn(k.w.Env("RM", nil), ids.ClientRMService)
	k.service.On(k.answer(m))
	cfg.ResourceManager = k.service.Env.Address()
	if cfg.Submit != nil {
		cfg.Submit.Files = k.files
	}
	k.run(cfg, settings...)
	return k
}

// run starts the client itself.
func (k *kit) run(cfg Config, settings ...string) {
	k.t.Helper()
	pairs := map[string]string{}
	for i := 0; i < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	c, err := conf.New(pairs)
	if err != nil {
		k.t.Fatal(err)
	}
	k.w.NoPanic()
	k.w.Latency(0, 0)
	k.began = k.w.Now()
	k.host = k.w.Host("Client", "10.1.0.1")
	log := logrus.New()
	log.SetOutput(k.t.Output())
	k.said = test.NewLocal(log)
	env, err := rpcenv.New(k.host, rpcenv.Config{Name: "Client", Conf: c, Log: logrus.NewEntry(log)})
	if err != nil {
		k.t.Fatal(err)
	}
	if cfg.Submit != nil && cfg.Submit.Mode == submit.Client {
		p := k.w.ProbeIn(env, "Listener")
		p.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
			k.heard = append(k.heard, fmt.Sprintf("%T%+v", m, m))
			return true
		})
		cfg.Listener = p.Ref
	}
	k.env, k.ref = env, k.w.Register(env, Name, New(cfg))
}

// exits waits for the client's end and checks its code, when it came, and what it said.
func (k *kit) exits(code int, after time.Duration, said string) {
	k.t.Helper()
	if err := k.w.Run(func() bool { _, yes := k.host.Exited(); return yes }, time.Hour); err != nil {
		k.t.Fatalf("the client has not ended: %v", err)
	}
	if got, _ := k.host.Exited(); got != code {
		k.t.Errorf("exit code %d, want %d", got, code)
	}
	if took := k.w.Now().Sub(k.began); took != after {
		k.t.Errorf("it ended after %s, want %s", took, after)
	}
	var all strings.Builder
	for _, e := range k.said.AllEntries() {
		all.WriteString(e.Message + "\n")
	}
	if !strings.Contains(all.String(), said) {
		k.t.Errorf("it said\n%swant\n%s", all.String(), said)
	}
}

// exitsBecause is exits with the whole reason of the end.
func (k *kit) exitsBecause(code int, after time.Duration, why string) {
	k.t.Helper()
	k.exits(code, after, "")
	if got, want := k.said.LastEntry().Message, fmt.Sprintf("exit %d: %s", code, why); got != want {
		k.t.Errorf("%s\nwant\n%s", got, want)
	}
}

// lines is everything that the client said, a line each with its level.
func (k *kit) lines() string {
	var out strings.Builder
	for _, e := range k.said.AllEntries() {
		fmt.Fprintf(&out, "%-7s %s", e.Level, e.Message)
		if err, ok := e.Data[logrus.ErrorKey]; ok {
			fmt.Fprintf(&out, " (%v)", err)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// idle checks that the client does nothing more by itself.
func (k *kit) idle() {
	k.t.Helper()
	k.w.Settle()
	before := k.w.Trace().Entries
	k.w.Advance(time.Hour)
	if after := k.w.Trace().Entries; len(after) != len(before) {
		k.t.Errorf("it goes on: %s", show.Line(&after[len(before)]))
	}
}

func (k *kit) staged(want ...string) {
	k.t.Helper()
	if !slices.Equal(k.files.did, want) {
		k.t.Errorf("files:\n%s\nwant\n%s", strings.Join(k.files.did, "\n"), strings.Join(want, "\n"))
	}
}

const dir = "file:/home/u/.sparkStaging/" + appText
