package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

func TestWhyAppOnYARN(t *testing.T) {
	_, rm := daemon(t, "resourcemanager", "--port", "0")
	_, where, _ := strings.Cut(rm.URL, "://")
	address, err := rpcenv.ParseAddress(where)
	if err != nil {
		t.Fatal(err)
	}
	host := transport.New(transport.Options{})
	defer host.Close()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Client"})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	b := env.Blocking(context.Background())
	defer b.Close()
	ref := env.Ref(address, ids.ClientRMService)
	got, err := rpcenv.AskWait(b, ref, &yarn.GetNewApplicationRequest{})
	if err != nil {
		t.Fatal(err)
	}
	id, err := ids.ApplicationFrom(got.GetApplicationId())
	if err != nil {
		t.Fatal(err)
	}
	_, err = rpcenv.AskWait(b, ref, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: got.GetApplicationId(), ApplicationName: "waits", User: "ada", AmContainerSpec: &yarn.ContainerLaunchContext{},
		Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	// The answer comes once the application is recorded. A client asks until it is accepted, and so does this.
	for state := yarn.YarnApplicationState_SUBMITTED; state < yarn.YarnApplicationState_ACCEPTED; {
		report, err := rpcenv.AskWait(b, ref, &yarn.GetApplicationReportRequest{ApplicationId: got.GetApplicationId()})
		if err != nil {
			t.Fatal(err)
		}
		state = report.GetApplicationReport().GetYarnApplicationState()
	}
	r := here(t, "why", "app", id.String(), "--master", "yarn://"+where)
	if r.code != 0 || !strings.HasPrefix(r.stdout, id.String()+" (waits) is ACCEPTED, its attempt ") || !strings.Contains(r.stdout, "queue root.ada") {
		t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
	}
	move := func(queue string) result {
		return here(t, "rmadmin", "move", id.String(), queue, "--master", "yarn://"+where)
	}
	if r := move("nowhere"); r.code != exitFailed || !strings.Contains(r.stderr, "Target queue root.nowhere not found or is not a leaf queue.") {
		t.Errorf("a queue that is none: %d %s", r.code, r.stderr)
	}
	if r := move("root.ada"); r.code != 0 || r.stdout != id.String()+" is in queue root.ada.\n" {
		t.Errorf("where it is: %d %s", r.code, r.stderr)
	}
	var told whyYARNJSON
	r = here(t, "why", "app", id.String(), "--master", where, "-o", "json")
	if err := json.Unmarshal([]byte(r.stdout), &told); err != nil || told.App != id.String() || told.State != "ACCEPTED" {
		t.Errorf("%v: %s", err, r.stdout)
	}
	for _, bad := range []struct{ id, at, want string }{
		{"application_1_0001", "yarn://" + where, "application_1_0001"},
		{id.String(), "yarn://nowhere", "want yarn://HOST:PORT"},
	} {
		if r := here(t, "why", "app", bad.id, "--master", bad.at); r.code != 1 || !strings.Contains(r.stderr, bad.want) {
			t.Errorf("%v: %d\n%s%s", bad, r.code, r.stdout, r.stderr)
		}
	}
}

func TestWhyAnEndedApplicationOfYARN(t *testing.T) {
	id := ids.Application{Timestamp: 1000, ID: 1}
	for state, want := range map[string]string{
		"FINISHED": "It has ended: coherer submit --master yarn://HOST:PORT --status application_1000_0001 says how.", "KILLED": "It has ended", "RUNNING": "Nothing holds it back.",
	} {
		if got := whyYARNText(id, &yarn.ApplicationRefusals{Name: "pi", State: state}); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %q", state, want, got)
		}
	}
}
