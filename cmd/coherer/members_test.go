package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMembers of clusters of processes. A Worker that is given its Master's URL is a member as one that is given gossip, and so is
// each daemon of YARN; two clusters on one machine stay apart; whoever asks any member hears of all.
func TestMembers(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	work := func() []string {
		return []string{"--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir()}
	}
	_, byURL := daemon(t, append([]string{"worker", master.URL}, work()...)...)
	_, byGossip := daemon(t, append([]string{"worker", "--join", master.Gossip}, work()...)...)
	pages := []string{"--conf", "yarn.resourcemanager.webapp.address=127.0.0.1:0", "--conf", "yarn.nodemanager.webapp.address=127.0.0.1:0"}
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, pages...)...)
	_, nm := daemon(t, append([]string{
		"nodemanager", rm.URL, "--port", "0", "--local-dirs", t.TempDir(), "--log-dirs", t.TempDir(),
	}, pages...)...)

	wantMembers(t, byURL.Gossip, "master", master.URL, "worker", byURL.URL, "worker", byGossip.URL)
	wantMembers(t, nm.Gossip, "resourcemanager", rm.URL, "nodemanager", nm.URL)
	r := here(t, "status", "--join", byURL.Gossip)
	if r.code != 0 || !strings.Contains(r.stdout, "Master "+master.URL+" is ALIVE") {
		t.Errorf("%d %s %s", r.code, r.stdout, r.stderr)
	}
	r = here(t, "status", "--join", nm.Gossip)
	if r.code != 1 || !strings.Contains(r.stderr, "none of the 2 members that "+nm.Gossip+" knows is a Master") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// wantMembers looks at the members that one knows until they are these, each a role and the URL of its RPC. The one that leads is
// the Master or the ResourceManager.
func wantMembers(t *testing.T, at string, want ...string) {
	t.Helper()
	wants := map[string]bool{}
	for i := 0; i < len(want); i += 2 {
		_, address, _ := strings.Cut(want[i+1], "://")
		wants[want[i]+" "+address] = true
	}
	for deadline := time.Now().Add(patience); ; {
		r := here(t, "members", "--join", at, "-o", "json")
		var all []struct {
			Role, RPC, Gossip string
			Leads             bool
			Since             time.Time
		}
		if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || r.code != 0 {
			t.Fatalf("%v: %d %s %s", err, r.code, r.stdout, r.stderr)
		}
		got := map[string]bool{}
		for _, m := range all {
			got[m.Role+" "+m.RPC] = true
			if m.Leads != (m.Role == "master" || m.Role == "resourcemanager") || time.Since(m.Since) > time.Hour || m.Gossip == "" {
				t.Errorf("%+v", m)
			}
		}
		if fmt.Sprint(got) == fmt.Sprint(wants) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s knows %v, want %v", at, got, wants)
		}
	}
	r := here(t, "members", "--join", at)
	if n := strings.Count(r.stdout, "\n"); n != 1+len(wants) || !strings.HasPrefix(r.stdout, "ROLE") {
		t.Errorf("%d lines: %s", n, r.stdout)
	}
}

func TestMembersWantsAMember(t *testing.T) {
	for args, want := range map[string]string{
		"members":                                 "--join is missing",
		"members --join x":                        "--join",
		"members --join 127.0.0.1:1":              "no member of the cluster answered",
		"master --join x":                         "--join",
		"resourcemanager --join x":                "--join",
		"nodemanager --join x yarn://127.0.0.1:1": "--join",
	} {
		r := here(t, strings.Fields(args)...)
		if wantCode := 2; r.code != wantCode && !strings.Contains(want, "answered") || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s", args, r.code, r.stderr)
		}
	}
}
