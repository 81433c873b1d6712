package yarnclient

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// A report is logged line by line, as Spark's client does.
func TestTheLinesOfAReport(t *testing.T) {
	full := &yarn.ApplicationReport{
		Diagnostics: "why", Host: "h", RpcPort: 7, Queue: "root.q", StartTime: 1767225600000, FinalApplicationStatus: yarn.FinalApplicationStatus_APP_KILLED,
		TrackingUrl: "http://h/", User: "u",
	}
	for r, want := range map[*yarn.ApplicationReport][]string{
		full: {
			"diagnostics: why", "ApplicationMaster host: h", "ApplicationMaster RPC port: 7", "queue: root.q", "start time: 2026-01-01T00:00:00Z",
			"final status: KILLED", "tracking URL: http://h/", "user: u",
		},
		{RpcPort: -1}: {
			"diagnostics: N/A", "ApplicationMaster host: N/A", "ApplicationMaster RPC port: -1", "queue: ", "start time: 1970-01-01T00:00:00Z",
			"final status: UNDEFINED", "tracking URL: N/A", "user: ",
		},
	} {
		if got := strings.Join(details(r), "\n"); got != "  "+strings.Join(want, "\n  ") {
			t.Errorf("%s", got)
		}
	}
}

// What an application came to: its state or its final status, and why if that is known.
func TestWhatAnApplicationCameTo(t *testing.T) {
	const (
		finished, failed, killed         = yarn.YarnApplicationState_FINISHED, yarn.YarnApplicationState_FAILED, yarn.YarnApplicationState_KILLED
		undefined, success, bad, stopped = yarn.FinalApplicationStatus_APP_UNDEFINED, yarn.FinalApplicationStatus_APP_SUCCEEDED, yarn.FinalApplicationStatus_APP_FAILED, yarn.FinalApplicationStatus_APP_KILLED
	)
	for _, tt := range []struct {
		state yarn.YarnApplicationState
		final yarn.FinalApplicationStatus
		why   string
		want  string
	}{
		{finished, success, "", ""},
		{finished, bad, "", "Application a finished with failed status"},
		{failed, success, "x", "Application a finished with failed status: x"},
		{finished, stopped, "", "Application a is killed"},
		{killed, success, "x", "Application a is killed: x"},
		{finished, undefined, "", "The final status of application a is undefined"},
	} {
		got := ""
		if err := (Ended{AppID: "a", State: tt.state, Final: tt.final, Diagnostics: tt.why}).Err(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.state, tt.final, got, tt.want)
		}
	}
}

// An application is accepted when it is behind its first steps, and over in three states.
func TestTheStatesThatAClientWaitsFor(t *testing.T) {
	first, ends := " YAS_UNSET NEW NEW_SAVING ", " FINISHED FAILED KILLED "
	for n, name := range yarn.YarnApplicationState_name {
		s := yarn.YarnApplicationState(n)
		if accepted(s) == strings.Contains(first, " "+name+" ") || over(s) != strings.Contains(ends, " "+name+" ") {
			t.Errorf("%s: accepted %t, over %t", name, accepted(s), over(s))
		}
	}
}

func TestAHintIsForTheUserRootAlone(t *testing.T) {
	const why = "root is not a leaf queue"
	if hint(why, "ann") != "" || hint("another reason", "root") != "" || !strings.HasPrefix(hint("x: "+why, "root"), ": without a queue, or with the queue default, ") {
		t.Error(hint(why, "ann"), hint("another reason", "root"), hint(why, "root"))
	}
}

// What just fits is taken.
func TestAContainerMayBeAsLargeAsTheLargest(t *testing.T) {
	c, err := conf.New(map[string]string{"spark.driver.memory": "2g"})
	if err != nil {
		t.Fatal(err)
	}
	for most, fits := range map[int64]bool{2432: true, 2431: false} {
		if err := verify(c, submit.Cluster, &yarn.Resource{Memory: most}); (err == nil) != fits {
			t.Errorf("%d: %v", most, err)
		}
	}
	for most, fits := range map[int64]bool{1408: true, 1407: false} {
		if err := verify(c, submit.Client, &yarn.Resource{Memory: most}); (err == nil) != fits {
			t.Errorf("%d: %v", most, err)
		}
	}
}

// A Config says all that it lacks, a line each.
func TestAConfigThatLacksSomethingSaysAllOfIt(t *testing.T) {
	c, err := conf.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := rpcenv.Address{Host: "h", Port: 1}
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "a client needs the ResourceManager's address (yarn.resourcemanager.address)\na client does one thing, not 0: submit, kill or status"},
		{Config{ResourceManager: at, Submit: &Submission{Mode: submit.Cluster}}, "a submission needs a place for its files\n" +
			"a submission needs the application's program\ncluster mode needs the name of the program"},
		{Config{ResourceManager: at, Submit: &Submission{Mode: submit.Client, Files: &files{}, Program: "p", Library: "l"}}, "client mode needs the driver's address and coherer's own program"},
		{Config{ResourceManager: at, Submit: &Submission{Mode: submit.Client, Files: &files{}, Program: "p", Driver: at}}, "client mode needs the driver's address and coherer's own program"},
		{Config{ResourceManager: at, Submit: &Submission{Mode: submit.Client, Files: &files{}, Program: "p", Driver: at, Library: "l"}}, ""},
		{Config{ResourceManager: at, Kill: "application_1767225600000_0001"}, ""},
	} {
		got := ""
		if err := tt.cfg.Validate(c); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
