package yarnclient

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

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

// What fails before the submission is handed in ends the client with the reason, and nothing stays of what was staged.
func TestFilesThatCannotBeStagedEndTheSubmission(t *testing.T) {
	for name, tt := range map[string]struct {
		files  files
		says   string
		staged []string
	}{
		"the home": {files{noHome: errors.New("no home: set HOME")}, "no home: set HOME", nil},
		"a file": {
			files{err: errors.New("no space: free some")},
			"stage the application's files: no space: free some",
			[]string{"copy /bin/prog " + dir + "/__app__.jar", "remove " + dir},
		},
		"the settings": {
			files{noArchive: errors.New("no space: free some")},
			"stage the application's files: no space: free some",
			[]string{"copy /bin/prog " + dir + "/__app__.jar", "archive " + dir + "/__spark_conf__.zip", "remove " + dir},
		},
		"where no NodeManager looks": {
			files{scheme: "hdfs"},
			`"hdfs:/home/u/.sparkStaging/` + appText + `/__app__.jar": want a file of this machine, as in file:/path`,
			[]string{"copy /bin/prog " + dir + "/__app__.jar", "archive " + dir + "/__spark_conf__.zip", "remove " + dir},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := startWith(t, &tt.files, Config{Submit: cluster()}, &manager{most: 8192})
			k.exitsBecause(1, 0, tt.says)
			k.staged(tt.staged...)
			if k.handed != nil {
				t.Errorf("handed in: %v", k.handed)
			}
		})
	}
}

// A staging directory that cannot be removed is worth a warning, no more.
func TestFilesThatStayAreWarnedOf(t *testing.T) {
	k := startWith(t, &files{stays: errors.New("it is in use")}, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}})
	k.exits(0, time.Second, "")
	if want := "warning Failed to clean up the staging directory " + dir + " (it is in use)\n"; !strings.Contains(k.lines(), want) {
		t.Errorf("it said\n%s", k.lines())
	}
}

// An ask for an id that is refused, or brings none, ends the client with what the ResourceManager said.
func TestNoIDIsNoSubmission(t *testing.T) {
	start(t, Config{Submit: cluster()}, &manager{most: 8192, noIDs: rpcenv.NewRefusal("x.full", "no more ids")}).exitsBecause(1, 0, "no more ids")
	start(t, Config{Submit: cluster()}, &manager{most: 8192, noID: true}).
		exitsBecause(1, 0, "application_0_0000 is no application id: its number counts from 1, its timestamp from 0")
}

// What a Config cannot be is refused before the ResourceManager is asked, what a plan cannot be before anything is staged.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		setting, says string
		asked         int
	}{
		{"spark.yarn.unmanagedAM.enabled=true", "spark.yarn.unmanagedAM.enabled is not done here: leave it out, the ApplicationMaster gets a container", 0},
		{"spark.yarn.archive=hdfs://h/x.zip", "spark.yarn.archive means nothing to a Go program: leave it out", 0},
		{"spark.yarn.dist.files=hdfs://h/s", "spark.yarn.dist.files: hdfs://h/s: only files of this machine are staged: fetch it first, and name the file", 1},
		{"spark.yarn.dist.files=/a%zz", `spark.yarn.dist.files: parse "/a%zz": invalid URL escape "%zz"`, 1},
		{"spark.yarn.dist.files=/a,/a", "spark.yarn.dist.files: Same path resource /a added multiple times to distributed cache.: name it once", 1},
		{
			"spark.yarn.dist.files=/a#__app__.jar",
			"spark.yarn.dist.files: Same name resource /a#__app__.jar added multiple times to distributed cache.: name it once", 1,
		},
		{
			"spark.yarn.dist.files=/a#d/x,/b#d_x",
			"spark.yarn.dist.files: /b#d_x is staged as d_x, as another file is: name it otherwise, with #NAME", 1,
		},
		{
			"spark.yarn.dist.files=/a#__spark_conf__.zip",
			"spark.yarn.dist.files: /a#__spark_conf__.zip is staged as __spark_conf__.zip, as another file is: name it otherwise, with #NAME", 1,
		},
		{"spark.yarn.dist.archives=/a/x,/b/x", "spark.yarn.dist.archives: Same name resource /b/x added multiple times to distributed cache.: name it once", 1},
		{
			"spark.yarn.dist.files=/a#__spark_conf__",
			"spark.yarn.dist.files: /a#__spark_conf__ is the name of the settings: name the file otherwise, with #NAME", 1,
		},
		{"spark.yarn.dist.files=/a#../b", `spark.yarn.dist.files: the name "../b" of a file in a container: want a relative path without .. in it`, 1},
		{`spark.yarn.dist.files=/a#b\c`, `spark.yarn.dist.files: the name "b\\c" of a file in a container: want a relative path without .. in it`, 1},
	} {
		key, value, _ := strings.Cut(tt.setting, "=")
		k := start(t, Config{Submit: cluster()}, &manager{most: 8192}, key, value)
		k.exitsBecause(1, 0, tt.says)
		k.staged()
		if len(k.got) != tt.asked {
			t.Errorf("%s: it asked for %q", tt.setting, k.got)
		}
	}
	start(t, Config{Kill: appText, Status: appText}, &manager{}).exitsBecause(1, 0, "a client does one thing, not 2: submit, kill or status")
}

// Of files and archives a name that comes twice is an error; of jars the second one is left out with a warning.
func TestAJarThatComesTwiceIsLeftOut(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}, "spark.yarn.dist.jars", "/a,/a,/b/a")
	k.exits(0, time.Second, "Same path resource /a added multiple times to distributed cache.\nSame name resource /b/a added multiple times to distributed cache.\n")
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "copy /a "+dir+"/a", "archive "+dir+"/__spark_conf__.zip", "remove "+dir)
}
