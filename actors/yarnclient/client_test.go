package yarnclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var appID = &yarn.ApplicationId{Id: 1, ClusterTimestamp: 1767225600000}

const appText = "application_1767225600000_0001"

// files are a user's home, in memory.
type files struct {
	did     []string
	archive []ArchiveEntry
	err     error
	slow    time.Duration // how long a copy takes
}

func (f *files) Home() (string, error) { return "file:/home/u", nil }

func (f *files) Copy(b *rpcenv.Blocking, dir, name, path string) (Staged, error) {
	if f.slow > 0 {
		f.err = b.Sleep(f.slow)
	}
	f.did = append(f.did, "copy "+path+" "+dir+"/"+name)
	return Staged{URI: dir + "/" + name, Size: int64(len(path)), Timestamp: 7, Visibility: yarn.LocalResourceVisibility_PRIVATE}, f.err
}

func (f *files) Archive(_ *rpcenv.Blocking, dir, name string, entries []ArchiveEntry) (Staged, error) {
	f.did, f.archive = append(f.did, "archive "+dir+"/"+name), entries
	return Staged{URI: dir + "/" + name, Size: 1, Timestamp: 8, Visibility: yarn.LocalResourceVisibility_PUBLIC}, nil
}

func (f *files) Remove(_ *rpcenv.Blocking, dir string) error {
	f.did = append(f.did, "remove "+dir)
	return nil
}

// kit is a World with a ResourceManager that a test plays, and a client.
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
	heard   []string // what the listener was told
}

// manager answers as a ResourceManager does; reports are those of the application one by one, the last one for ever.
type manager struct {
	most    int64
	forgets int   // how often a submission is not known
	refuses error // what a submission fails with
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
		k.got = append(k.got, k.w.Now().Sub(k.began).Truncate(100*time.Millisecond).String()+" "+strings.TrimSuffix(name, "Request"))
		if m.reading > 0 {
			m.reading--
			rpcenv.Fail(c, msg, fmt.Errorf("%w: it reads its records", exceptions.Retriable))
			return true
		}
		switch q := msg.(type) {
		case *yarn.GetNewApplicationRequest:
			rpcenv.Reply(c, q, &yarn.GetNewApplicationResponse{ApplicationId: appID, MaximumCapability: &yarn.Resource{Memory: m.most, VirtualCores: 4}})
		case *yarn.SubmitApplicationRequest:
			k.handed = q.GetApplicationSubmissionContext()
			if m.refuses != nil {
				rpcenv.Fail(c, q, m.refuses)
				return true
			}
			rpcenv.Reply(c, q, &yarn.SubmitApplicationResponse{})
		case *yarn.GetApplicationReportRequest:
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
	k := &kit{t: t, w: rpctest.New(t, 1), files: &files{}}
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
	if took := k.w.Now().Sub(k.began).Truncate(100 * time.Millisecond); took != after {
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

func (k *kit) staged(want ...string) {
	k.t.Helper()
	if !slices.Equal(k.files.did, want) {
		k.t.Errorf("files:\n%s\nwant\n%s", strings.Join(k.files.did, "\n"), strings.Join(want, "\n"))
	}
}

const dir = "file:/home/u/.sparkStaging/" + appText

func TestASubmissionIsStagedReportedAndCleanedUp(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_NEW_SAVING), state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_ACCEPTED),
		state(yarn.YarnApplicationState_RUNNING), succeeded,
	}})
	k.exits(0, 3200*time.Millisecond, "Application report for "+appText+" (state: RUNNING)\n")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "200ms GetApplicationReport",
		"1.2s GetApplicationReport", "2.2s GetApplicationReport", "3.2s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q, want %q", k.got, want)
	}
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
}

func TestTheLaunchContext(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}},
		"spark.yarn.queue", "q", "spark.yarn.maxAppAttempts", "3", "spark.driver.memory", "2g", "spark.yarn.appMasterEnv.A", "1",
		"spark.yarn.appMasterEnv.GOMEMLIMIT", "5MiB", "spark.yarn.dist.files", "file:/d/f#x/y,/d/g", "spark.yarn.dist.archives", "file:/d/z.zip", "spark.yarn.priority", "4",
		"spark.yarn.am.attemptFailuresValidityInterval", "1h", "spark.yarn.tags", "a,b", "spark.yarn.cache.sizes", "old")
	k.exits(0, 1*time.Second, "Submitted application "+appText)
	h := k.handed
	if h.GetQueue() != "q" || h.GetMaxAppAttempts() != 3 || h.GetResource().GetMemory() != 2048+384 || h.GetResource().GetVirtualCores() != 1 ||
		h.GetApplicationType() != "SPARK" || h.GetUser() != "u" || h.GetApplicationName() != "n" || h.GetPriority().GetPriority() != 4 ||
		h.GetAttemptFailuresValidityInterval() != 3600000 || len(h.GetApplicationTags()) != 2 || h.GetUnmanagedAm() {
		t.Errorf("%v", h)
	}
	launch := h.GetAmContainerSpec()
	if got := launch.GetCommand(); len(got) != 1 || !strings.HasPrefix(got[0], "{{PWD}}/__app__.jar applicationmaster --class 'prog' --jar 'file:/bin/prog' --arg 'a b' --properties-file ") {
		t.Errorf("%q", got)
	}
	vars := ""
	for _, v := range launch.GetEnvironment() {
		vars += v.GetKey() + "=" + v.GetValue() + " "
	}
	if want := "A=1 GOMAXPROCS=1 GOMEMLIMIT=5MiB SPARK_USER=u SPARK_YARN_STAGING_DIR=" + dir + " "; vars != want {
		t.Errorf("%q, want %q", vars, want)
	}
	resources := ""
	for _, r := range launch.GetLocalResources() {
		v := r.GetValue()
		resources += fmt.Sprintf("%s %s %d %d %s %s\n", r.GetKey(), v.GetResource().GetFile(), v.GetSize(), v.GetTimestamp(), v.GetType(), v.GetVisibility())
	}
	const path = "/home/u/.sparkStaging/" + appText
	if want := "__app__.jar " + path + "/__app__.jar 9 7 FILE PRIVATE\nx/y " + path + "/x_y 4 7 FILE PRIVATE\ng " + path + "/g 4 7 FILE PRIVATE\n" +
		"z.zip " + path + "/z.zip 8 7 ARCHIVE PRIVATE\n__spark_conf__ " + path + "/__spark_conf__.zip 1 8 ARCHIVE PRIVATE\n"; resources != want {
		t.Errorf("%s\nwant\n%s", resources, want)
	}
	if a := k.files.archive; len(a) != 2 || !strings.Contains(a[0].Content, "spark.driver.memory=2g\n") || strings.Contains(a[0].Content, "cache") ||
		!strings.Contains(a[1].Content, "spark.yarn.cache.sizes=9,4,4,8\n") || !strings.Contains(a[1].Content, distConf+"="+dir+"/__spark_conf__.zip\n") {
		t.Errorf("%+v", a)
	}
}

const distConf = "spark.yarn.cache.confArchive"

func TestClientModeTellsItsListener(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_ACCEPTED), state(yarn.YarnApplicationState_RUNNING), state(yarn.YarnApplicationState_RUNNING),
		ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_FAILED, "why"),
	}}, "spark.yarn.clientLaunchMonitorInterval", "500ms")
	if err := k.w.Run(func() bool { return len(k.heard) == 3 }, time.Hour); err != nil {
		t.Fatal(err, k.heard)
	}
	if took := k.w.Now().Sub(k.began).Truncate(100 * time.Millisecond); took != 2500*time.Millisecond {
		t.Errorf("after %s", took)
	}
	if want := []string{
		"yarnclient.Submitted{Local:{} AppID:" + appText + "}", "yarnclient.Running{Local:{}}",
		"yarnclient.Ended{Local:{} AppID:" + appText + " State:FINISHED Final:APP_FAILED Diagnostics:why}",
	}; !slices.Equal(k.heard, want) {
		t.Errorf("%q", k.heard)
	}
	if got := k.handed.GetAmContainerSpec().GetCommand()[0]; !strings.HasPrefix(got, "{{PWD}}/__spark_libs__/coherer executorlauncher --arg '10.0.0.9:4' ") {
		t.Errorf("%q", got)
	}
	if got := k.handed.GetResource().GetMemory(); got != 512+384 {
		t.Errorf("%d MiB", got)
	}
	k.staged("copy /bin/coherer "+dir+"/__spark_libs___coherer", "copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
}

func TestEndsOfAnApplication(t *testing.T) {
	for _, tt := range []struct {
		name    string
		reports []*yarn.ApplicationReport
		code    int
		says    string
	}{
		{"failed", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FAILED, 0, "exit 15")}, 1, "Failed to submit " + appText + " to YARN : exit 15"},
		{"failed later", []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED), ended(yarn.YarnApplicationState_FAILED, yarn.FinalApplicationStatus_APP_FAILED, "exit 15")}, 1, "Application " + appText + " finished with failed status: exit 15"},
		{"final failed", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_FAILED, "")}, 1, "finished with failed status"},
		{"killed", []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING), ended(yarn.YarnApplicationState_KILLED, yarn.FinalApplicationStatus_APP_KILLED, "")}, 1, "Application " + appText + " is killed"},
		{"undefined", []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FINISHED, yarn.FinalApplicationStatus_APP_UNDEFINED, "")}, 1, "The final status of application " + appText + " is undefined"},
		{"succeeded", []*yarn.ApplicationReport{succeeded}, 0, "final status: SUCCEEDED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: tt.reports})
			after := time.Second
			if tt.name == "failed" {
				after = 0
			}
			k.exits(tt.code, after, tt.says)
			if got := k.files.did[len(k.files.did)-1]; got != "remove "+dir {
				t.Errorf("the last thing it did is %s", got)
			}
		})
	}
}

func TestAnApplicationThatIsNotKnownCountsAsKilled(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, kills: -1, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}}, "spark.yarn.preserve.staging.files", "true")
	k.exits(1, time.Second, "Application "+appText+" not found.\nApplication "+appText+" is killed\n")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
}

// A ResourceManager that ended before it had written the application down has to hear of it again.
func TestASubmissionThatIsForgottenIsHandedInAgain(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, forgets: 2, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED), succeeded}})
	k.exits(0, 1400*time.Millisecond, "Re-submit application "+appText+" with the same ApplicationSubmissionContext\n")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "0s SubmitApplication", "200ms GetApplicationReport",
		"200ms SubmitApplication", "400ms GetApplicationReport", "1.4s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q, want %q", k.got, want)
	}
}

func TestFireAndForget(t *testing.T) {
	const wait = "spark.yarn.submit.waitAppCompletion"
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED)}}, wait, "false")
	k.exits(0, 0, "(state: ACCEPTED)")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
	k = start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{
		state(yarn.YarnApplicationState_SUBMITTED), ended(yarn.YarnApplicationState_FAILED, 0, "no queue"),
	}}, wait, "false")
	k.exits(1, 0, "finished with failed status: no queue")
}

// real-yarn.md D12a: the trap of a user called root.
func TestAQueueCalledAsRootIsExplained(t *testing.T) {
	const why = "root is not a leaf queue"
	s := cluster()
	s.User = "root"
	start(t, Config{Submit: s}, &manager{most: 8192, reports: []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FAILED, 0, why)}}).exits(1, 0, why+": without a queue")
	start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{ended(yarn.YarnApplicationState_FAILED, 0, why)}}).exits(1, 0, why+"\n")
	later := &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED), ended(yarn.YarnApplicationState_FAILED, 0, why)}}
	start(t, Config{Submit: s}, later).exits(1, time.Second, why+": without a queue")
}

func TestReportsAreToldWhenTheyChangeAndNowAndThen(t *testing.T) {
	var m monitor
	got := ""
	for range 7 {
		tell, changed := m.see(yarn.YarnApplicationState_RUNNING, 3)
		got += fmt.Sprint(tell, changed, " ")
	}
	if want := "true true false false false false true false false false false false true false "; got != want {
		t.Errorf("%s", got)
	}
}

func TestContainersThatNeverFitAreRefused(t *testing.T) {
	for most, says := range map[int64]string{
		1407: "Required executor memory (1024 MB), and what is beside it (384 MB), is above the max threshold (1407 MB) of this cluster!",
		2000: "Required AM memory (2048+384 MB) is above the max threshold (2000 MB) of this cluster!",
	} {
		k := start(t, Config{Submit: cluster()}, &manager{most: most}, "spark.driver.memory", "2g")
		k.exits(1, 0, says)
		k.staged()
	}
}

func TestFilesThatCannotBeStagedEndTheSubmission(t *testing.T) {
	k := &kit{t: t, w: rpctest.New(t, 1), files: &files{err: errors.New("no space: free some")}}
	k.service = k.w.ProbeIn(k.w.Env("RM", nil), ids.ClientRMService)
	k.service.On(k.answer(&manager{most: 8192}))
	s := cluster()
	s.Files = k.files
	k.run(Config{ResourceManager: k.service.Env.Address(), Submit: s})
	k.exits(1, 0, "stage the application's files: no space: free some")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "remove "+dir)
}

func TestNoResourceManager(t *testing.T) {
	k := &kit{t: t, w: rpctest.New(t, 1)}
	k.run(Config{ResourceManager: rpcenv.Address{Host: "10.9.9.9", Port: 8032}, Status: appText})
	k.exits(1, 0, "no ResourceManager answers at 10.9.9.9:8032: ")
}

func TestAResourceManagerThatIsGoneForAWhileIsAskedAgain(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}},
		"yarn.resourcemanager.connect.max-wait.ms", "10s")
	if err := k.w.Run(func() bool { return len(k.got) == 5 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	k.service.Env.Shutdown()
	k.exits(1, 13*time.Second, "Failed to contact YARN for application "+appText)
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
}

func TestAResourceManagerThatReadsItsRecordsIsAskedAgain(t *testing.T) {
	pairs := []string{"yarn.resourcemanager.connect.retry-interval.ms", "1000"}
	reports := []*yarn.ApplicationReport{succeeded}
	running := []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}
	start(t, Config{Submit: cluster()}, &manager{most: 8192, reading: 2, reports: reports}, pairs...).exits(0, 3*time.Second, "it reads its records")
	start(t, Config{Status: appText}, &manager{reading: 2, reports: reports}, pairs...).exits(0, 2*time.Second, "state: FINISHED")
	start(t, Config{Kill: appText}, &manager{reading: 2, reports: running}, pairs...).exits(0, 2*time.Second, "Killed application")

	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}})
	m := &manager{reading: 2, reports: reports}
	if err := k.w.Run(func() bool { return len(k.got) == 4 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	k.service.On(k.answer(m))
	k.exits(0, 4*time.Second, "The ResourceManager at")

	k = start(t, Config{Status: appText}, &manager{reading: 1 << 30}, "yarn.resourcemanager.connect.max-wait.ms", "10s")
	k.exits(1, 30*time.Second, "RetriableException: it reads its records")
}

func TestKill(t *testing.T) {
	running := []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}
	k := start(t, Config{Kill: appText}, &manager{reports: running, kills: 2})
	k.exits(0, 400*time.Millisecond, "Killed application "+appText)
	k = start(t, Config{Kill: appText}, &manager{reports: []*yarn.ApplicationReport{succeeded}})
	k.exits(0, 0, "Application "+appText+" has already finished (state: FINISHED)")
	k = start(t, Config{Kill: appText}, &manager{unknown: true})
	k.exits(1, 0, "knows no application "+appText)
}

func TestStatus(t *testing.T) {
	k := start(t, Config{Status: appText}, &manager{reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}})
	k.exits(0, 0, "Application report for "+appText+" (state: RUNNING)\n\t diagnostics: N/A\n")
	k = start(t, Config{Status: appText}, &manager{unknown: true})
	k.exits(1, 0, "knows no application "+appText)
	start(t, Config{Status: "application_1"}, &manager{}).exits(1, 0, `"application_1" is no application id: want one like`)
}

func TestRefusals(t *testing.T) {
	for setting, says := range map[string]string{
		"spark.yarn.unmanagedAM.enabled=true":     "is not done here",
		"spark.yarn.archive=hdfs://h/x.zip":       "means nothing to a Go program",
		"spark.yarn.stagingDir=hdfs://h/s":        "want a file of this machine",
		"spark.yarn.dist.files=hdfs://h/s":        "only files of this machine are staged",
		"spark.yarn.dist.files=/a,/a":             "Same path resource /a added multiple times",
		"spark.yarn.dist.archives=/a/x,/b/x":      "Same name resource /b/x added multiple times",
		"spark.yarn.dist.files=/a#__spark_conf__": "is the name of the settings",
		"spark.yarn.dist.files=/a#../b":           "without .. in it",
		"spark.yarn.dist.files=/a#b\\c":           "without .. in it",
	} {
		key, value, _ := strings.Cut(setting, "=")
		start(t, Config{Submit: cluster()}, &manager{most: 8192}, key, value).exits(1, 0, says)
	}
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}, "spark.yarn.dist.jars", "/a,/a", "spark.yarn.stagingDir", "/s/")
	k.exits(0, time.Second, "Same path resource /a added multiple times")
	if got := k.files.did[0]; got != "copy /bin/prog file:/s/u/.sparkStaging/"+appText+"/__app__.jar" {
		t.Error(got)
	}
	start(t, Config{Kill: appText, Status: appText}, &manager{}).exits(1, 0, "a client does one thing, not 2")
}
