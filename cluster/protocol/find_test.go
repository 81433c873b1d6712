package protocol

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func load(t *testing.T) *Protocol {
	t.Helper()
	if rewriting() {
		t.Skip("what it reads is being written")
	}
	p, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// all is everything that was found.
func (p *Protocol) all() []string {
	var out []string
	for _, m := range p.Messages {
		out = append(out, m.Kind+" "+m.Name)
	}
	for _, e := range p.Endpoints {
		out = append(out, "endpoint "+e.Name)
	}
	for _, c := range p.Conversations {
		out = append(out, "conversation "+c.Name)
	}
	return out
}

func TestFind(t *testing.T) {
	p := load(t)
	for name, want := range map[string][]string{
		"RegisterWorker":        {"message deploy.RegisterWorker"},
		"deploy.RegisterWorker": {"message deploy.RegisterWorker"},
		"registerworker":        {"message deploy.RegisterWorker"},
		"Heartbeat":             {"message deploy.Heartbeat", "message app.Heartbeat", "local nodemanager.Heartbeat"},
		"app.Heartbeat":         {"message app.Heartbeat"},
		"org.apache.spark.scheduler.cluster.CoarseGrainedClusterMessages.LaunchTask": {"message app.LaunchTask"},
		"ExecutorChange":               {"local event.ExecutorChange"},
		"MapStatus":                    {"record storage.MapStatus"},
		"deploy.ExecutorState":         {"enum deploy.ExecutorState"},
		"Master":                       {"endpoint Master"},
		"CoarseGrainedScheduler":       {"endpoint CoarseGrainedScheduler"},
		"CoarseGrainedExecutorBackend": {"endpoint Executor"},
		"executor-launch":              {"conversation executor-launch"},
	} {
		found, err := p.Find(name)
		if err != nil || !slices.Equal(found.all(), want) {
			t.Errorf("%s: %v, %v, want %v", name, found, err, want)
		}
	}
}

func TestUnknownNamesSuggestNearOnes(t *testing.T) {
	p := load(t)
	for name, want := range map[string]string{
		"ResourceManager":  "its endpoints are ApplicationMasterService, ClientRMService",
		"nodemanager":      "its endpoints are ContainerManager",
		"RegisterWroker":   "did you mean RegisterWorker",
		"deploy.Hartbeat":  "did you mean Heartbeat",
		"ExecutorLaunch":   "did you mean executor-launch",
		"heartbeatReciver": "did you mean HeartbeatReceiver",
		"locations":        "GetLocations, BlockLocations",
		"quux":             "lists endpoints and conversations",
		"":                 "lists endpoints and conversations",
	} {
		_, err := p.Find(name)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// Everything can be shown in 100 columns, and found by the name that it shows.
func TestTextFitsTheScreen(t *testing.T) {
	p := load(t)
	for _, name := range append(p.all(), "list", "deviations") {
		_, bare, _ := strings.Cut(name, " ")
		found, show := p, p.List
		switch {
		case name == "deviations":
			found = &Protocol{Deviations: p.Deviations}
			show = found.Text
		case name != "list":
			var err error
			if found, err = p.Find(bare); err != nil || !slices.Contains(found.all(), name) {
				t.Fatalf("%s: %v %v", name, found, err)
			}
			show = found.Text
		}
		var b bytes.Buffer
		if err := show(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

func TestTextSaysWhatThereIsToSay(t *testing.T) {
	p := load(t)
	for name, wants := range map[string][]string{
		"ExecutorStateChanged": {
			"deploy.ExecutorStateChanged: message 124, an ask", "Worker, when an executor's process", "rpc.Bool",
			"answered true and changes nothing", "an ask since 3.3", "Master: actors/master/executors.go Master.executorStateChanged",
			"worker.ExecutorStateChanged: a message that stays within its process", "PART OF", "optional int32",
			"cluster/scenario/testdata/application.txt", `"state": "RUNNING"`,
		},
		"Connected":              {"CoarseGrainedScheduler: actors/driver/appclient.go Scheduler.connected", "AppClient: actors/appclient/registration.go"},
		"HeartbeatResponse":      {"an answer", "FROM       HeartbeatReceiver", "it answers app.Heartbeat"},
		"Hello":                  {"rpcenv/handshake.go", "It is not recorded"},
		"GetLocations":           {"No recorded run has one", "Master.getLocations"},
		"TaskState":              {"VALUES", "TASK_LOST", "INSIDE     app.StatusUpdate"},
		"CoarseGrainedScheduler": {"WHERE the driver", "app.LaunchTask", "HANDLES", "SENDS"},
		"task-launch":            {"A -> Exec0 Executor LaunchTask", "StatusUpdate(executorId=0 taskId=0 state=RUNNING"},
	} {
		found, err := p.Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var b bytes.Buffer
		if err := found.Text(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s does not say %q:\n%s", name, want, b.String())
			}
		}
	}
}
