package yarnclient

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What a submission does not say is as in Spark, and what YARN decides by itself is left to it.
func TestWhatASubmissionDoesNotSay(t *testing.T) {
	s := cluster()
	s.Name = ""
	k := start(t, Config{Submit: s}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}})
	k.exits(0, time.Second, "")
	h := k.handed
	if h.GetApplicationName() != "Spark" || h.GetQueue() != "default" || h.GetApplicationType() != "SPARK" || h.GetMaxAppAttempts() != 0 ||
		h.GetAttemptFailuresValidityInterval() != -1 || h.GetPriority() != nil || h.GetUnmanagedAm() || len(h.GetApplicationTags()) != 0 ||
		h.GetKeepContainersAcrossApplicationAttempts() || len(h.GetAmContainerResourceRequest()) != 0 {
		t.Error(h)
	}
	for _, v := range h.GetAmContainerSpec().GetEnvironment() {
		if v.GetKey() == "GOMEMLIMIT" && v.GetValue() != "1024MiB" { // the heap: its overhead is not Go's
			t.Error(v)
		}
	}
}

// With a label the ApplicationMaster's container is asked for by a request, and not by its size alone.
func TestALabelledApplicationMasterIsAskedForByARequest(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}, "spark.yarn.am.nodeLabelExpression", "fast")
	k.exits(0, time.Second, "")
	asked := k.handed.GetAmContainerResourceRequest()
	if len(asked) != 1 || k.handed.GetResource() != nil {
		t.Fatal(k.handed)
	}
	if a := asked[0]; a.GetResourceName() != "*" || a.GetNumContainers() != 1 || a.GetPriority() == nil || a.GetPriority().GetPriority() != 0 || a.GetNodeLabelExpression() != "fast" || a.GetCapability().GetMemory() != 1408 {
		t.Error(a)
	}
}

// What a refused submission staged is removed.
func TestARefusedSubmissionLeavesNoFiles(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, refuses: fmt.Errorf("%w: no", rpcenv.ErrRefused)})
	k.exits(1, 0, "no")
	if got := k.files.did[len(k.files.did)-1]; got != "remove "+dir {
		t.Error(got)
	}
}

func TestASubmissionThatIsNeverAcceptedTimesOut(t *testing.T) {
	const setting = "yarn.client.application-client-protocol.poll-timeout-ms"
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_NEW_SAVING)}}, setting, "5s")
	k.exits(1, 5*time.Second, "Timed out while waiting for application "+appText+" to be submitted successfully ("+setting+")")
	if got := len(k.got); got != 28 { // each 200 ms
		t.Error(got, "calls")
	}
	k = start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_NEW_SAVING)}}, setting, "0")
	k.exits(1, 0, "Timed out")
}

// What the ApplicationMaster alone is to have is not in the settings by which it gives files to executors.
func TestExecutorsDoNotGetWhatIsOfTheApplicationMaster(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}})
	if err := k.w.Run(func() bool { return len(k.heard) == 2 }, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"filenames=" + dir + "/__app__.jar#__app__.jar\n", "sizes=9\n", "types=FILE\n", "timestamps=7\n", "visibilities=PRIVATE\n"} {
		if got := k.files.archive[1].Content; !strings.Contains(got, "spark.yarn.cache."+want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
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

// A file that is wanted under two names is staged once.
func TestAFileOfTwoNamesIsCopiedOnce(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}, "spark.yarn.dist.files", "/bin/prog#other")
	k.exits(0, time.Second, "")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
	const path = "/home/u/.sparkStaging/" + appText
	var got []string
	for _, r := range k.handed.GetAmContainerSpec().GetLocalResources() {
		got = append(got, r.GetKey()+" "+r.GetValue().GetResource().GetFile())
	}
	if want := []string{"__app__.jar " + path + "/__app__.jar", "other " + path + "/__app__.jar", "__spark_conf__ " + path + "/__spark_conf__.zip"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Staging directories lie under spark.yarn.stagingDir, a path or a file: URI, and there under the user's name.
func TestWhereStagingDirectoriesLie(t *testing.T) {
	for _, tt := range []struct{ setting, user, want, err string }{
		{"", "u", "file:/home/u", ""},
		{"/s/", "u", "file:/s/u", ""},
		{"/s", "", "file:/s", ""},
		{"file:/s//", "u", "file:/s/u", ""},
		{"/a%20 b", "", "file:/a%2520%20b", ""},
		{"file:///a%20b", "", "file:/a%20b", ""},
	} {
		pairs := map[string]string{}
		if tt.setting != "" {
			pairs["spark.yarn.stagingDir"] = tt.setting
		}
		c, err := conf.New(pairs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&Submission{User: tt.user, Files: &files{}}).base(c)
		if said := fmt.Sprint(err); got != tt.want || err != nil && said != tt.err || err == nil && tt.err != "" {
			t.Errorf("%q of %q: %q, %v", tt.setting, tt.user, got, err)
		}
	}
}
