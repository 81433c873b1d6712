package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
	second, byGossip := daemon(t, append([]string{"worker", "--join", master.Gossip}, work()...)...)
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

	// One that is killed stays on the list, with those that had no answer from it.
	if err := second.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var gone shownMember
	all := untilStandings(t, byURL.Gossip, func(all []shownMember) bool {
		gone = all[len(all)-1]
		return gone.State == "failed"
	})
	if gone.RPC != strings.TrimPrefix(byGossip.URL, "spark://") || len(gone.SuspectedBy) == 0 || time.Since(gone.StateSince) > time.Hour || len(all) != 3 {
		t.Errorf("%+v", all)
	}
	for _, by := range gone.SuspectedBy {
		if !slices.ContainsFunc(there(all), func(m shownMember) bool { return m.Name == by }) {
			t.Errorf("%s suspected it", by)
		}
	}
	// The others are told how they are called, and how much they have to do.
	untilMembers(t, byURL.Gossip, func(all []shownMember) bool {
		for _, m := range all {
			switch m.Role {
			case "master":
				if !strings.HasSuffix(m.Load, " workers, 0 applications") {
					return false
				}
			case "worker":
				if m.Load != "0/1 cores, 0/1024 MiB" || !strings.HasPrefix(m.ID, "worker-2") || !strings.HasSuffix(m.ID, m.RPC[strings.LastIndex(m.RPC, ":")+1:]) {
					return false
				}
			}
		}
		return true
	})
	for _, m := range there(untilMembers(t, nm.Gossip, func(all []shownMember) bool { return len(all) == 2 && all[0].Load != "" && all[1].Load != "" })) {
		if m.Role == "nodemanager" && m.Load != "0 containers, 0/8 cores, 0/8192 MiB" || m.Role == "resourcemanager" && (m.ID == "" || !strings.HasSuffix(m.Load, " nodes, 0 applications")) {
			t.Errorf("%+v", m)
		}
	}
	if r := here(t, "members", "--join", byURL.Gossip); !strings.Contains(r.stdout, "failed at ") || !strings.Contains(r.stdout, ", suspected by ") {
		t.Error(r.stdout)
	}
}

// TestMastersAreMembersOfOneCluster which know each other by --peers alone, and the one that was elected is known to lead.
func TestMastersAreMembersOfOneCluster(t *testing.T) {
	t.Parallel()
	m, leader := startMasters(t, 3, "--conf", "coherer.gossip.port=0")
	for _, of := range m.ready {
		untilMembers(t, of.Gossip, func(all []shownMember) bool {
			leads := 0
			for _, x := range all {
				if x.Leads && x.Gossip == m.ready[leader].Gossip {
					leads++
				}
			}
			return len(all) == 3 && leads == 1
		})
	}
}

// TestAnApplicationIsAMember for as long as it runs: its driver, on YARN its ApplicationMaster too.
func TestAnApplicationIsAMember(t *testing.T) {
	t.Run("standalone", func(t *testing.T) {
		t.Parallel()
		_, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
		_, _ = daemon(t, "worker", master.URL, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
		checkRoles(t, master.Gossip, []string{"master", "worker"}, []string{"driver"}, "--master", master.URL, "--executor-memory", "512m")
	})
	t.Run("YARN", func(t *testing.T) {
		t.Parallel()
		_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
		_, _ = daemon(t, append([]string{"nodemanager", rm.URL, "--port", "0", "--local-dirs", t.TempDir(), "--log-dirs", t.TempDir()}, quick...)...)
		checkRoles(t, rm.Gossip, []string{"nodemanager", "resourcemanager"}, []string{"applicationmaster", "driver"},
			append(quick, "--master", "yarn", "--queue", "root.default", "--deploy-mode", "client", "--conf", "spark.hadoop.yarn.resourcemanager.address="+strings.TrimPrefix(rm.URL, "yarn://"))...)
	})
}

// checkRoles submits an application, and wants its processes as members beside the daemons until it is interrupted.
func checkRoles(t *testing.T, at string, daemons, own []string, submit ...string) {
	t.Helper()
	app := command(t, append(append([]string{"submit"}, submit...), "sleep", "--tasks", "1", "--task-time", "10m")...)
	app.Stderr = t.Output()
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	are := func(want []string) func([]shownMember) bool {
		return func(all []shownMember) bool {
			var got []string
			for _, m := range all {
				got = append(got, m.Role)
			}
			slices.Sort(got)
			return slices.Equal(got, want)
		}
	}
	all := slices.Sorted(slices.Values(append(slices.Clone(daemons), own...)))
	untilMembers(t, at, are(all))
	if err := app.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait() // its exit code is that of an interrupted program
	untilMembers(t, at, are(daemons))
	left := untilStandings(t, at, func(all []shownMember) bool {
		return slices.ContainsFunc(all, func(m shownMember) bool { return m.Role == "driver" && m.State == "left" })
	})
	if slices.ContainsFunc(left, func(m shownMember) bool {
		return m.State != "alive" && (m.State != "left" || time.Since(m.StateSince) > time.Hour)
	}) {
		t.Errorf("%+v", left)
	}
}

// TestAnyMemberStandsForItsCluster wherever a URL of the Masters or of the ResourceManager is wanted.
func TestAnyMemberStandsForItsCluster(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	_, worker := daemon(t, "worker", "gossip://"+master.Gossip, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	at := "gossip://" + worker.Gossip
	for _, c := range []struct{ args, want string }{
		{"status --master " + at, "Master " + master.URL + " is ALIVE"},
		{"status --master gossip://" + rm.Gossip, "ResourceManager"},
		{"top --once --interval 100ms " + at, "Master"},
		{"why app app-1 --master " + at, "app-1"},
		{"why app application_1_0001 --master gossip://" + rm.Gossip, "application_1_0001"},
		{"rmadmin refresh-nodes --master gossip://" + rm.Gossip, "hold as they are now"},
		{"status --master gossip://", "want gossip://HOST:PORT"},
		{"status --master gossip://127.0.0.1:1", "no member of the cluster answered"},
		{"submit --master gossip://127.0.0.1:1 pi", "no member of the cluster answered"},
		{"why app app-1 --master gossip://127.0.0.1:1", "no member of the cluster answered"},
		{"top gossip://127.0.0.1:1", "no member of the cluster answered"},
		{"trace follow gossip://127.0.0.1:1", "no member of the cluster answered"},
	} {
		if r := here(t, strings.Fields(c.args)...); !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: %d %s %s", c.args, r.code, r.stdout, r.stderr)
		}
	}
	if r := finish(t, command(t, "submit", "--master", at, "--executor-memory", "512m", "sleep", "--tasks", "2", "--task-time", "1ms")); r.code != 0 || r.stdout != "2 tasks slept\n" {
		t.Errorf("submit: %d %s %s", r.code, r.stdout, r.stderr)
	}
}

// TestAClusterWithANameAndKeysIsFound by every command that takes a gossip:// URL, when it has them, and by none that has not.
func TestAClusterWithANameAndKeysIsFound(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(strings.Repeat("A", 43)+"=\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	named := []string{"--conf", "coherer.gossip.label=named", "--conf", "coherer.gossip.keyFile=" + keys}
	_, master := daemon(t, append([]string{"master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0"}, named...)...)
	_, rm := daemon(t, slices.Concat([]string{"resourcemanager", "--port", "0"}, quick, named)...)
	for _, c := range []struct{ args, want string }{
		{"submit --dry-run --master gossip://" + master.Gossip, master.URL},
		{"status --master gossip://" + master.Gossip, "Master " + master.URL + " is ALIVE"},
		{"members --join " + master.Gossip, "master"},
		{"top --once --interval 100ms gossip://" + master.Gossip, "Master"},
		{"why app app-1 --master gossip://" + master.Gossip, "the Master, which is ALIVE, knows no application app-1"},
		{"why app application_1_0001 --master gossip://" + rm.Gossip, "application_1_0001"},
		{"why container container_1_0001_01_000001 --master gossip://" + rm.Gossip, "container_1_0001_01_000001"},
		{"rmadmin refresh-nodes --master gossip://" + rm.Gossip, "hold as they are now"},
		{"rmadmin move application_1_0001 root.a --master gossip://" + rm.Gossip, "ask the ResourceManager"},
		{"trace follow gossip://" + master.Gossip, ""}, // it ends by a signal alone
	} {
		nobody := "no member of the cluster answered"
		pi := strings.Fields(strings.Repeat("pi", strings.Count(c.args, "submit")))
		if r := here(t, append(strings.Fields(c.args), pi...)...); r.code == 0 || !strings.Contains(r.stderr, nobody) {
			t.Errorf("without the name and keys: %s: %d %s %s", c.args, r.code, r.stdout, r.stderr)
		}
		if c.want == "" {
			continue
		}
		if r := here(t, slices.Concat(strings.Fields(c.args), named, pi)...); !strings.Contains(r.stdout+r.stderr, c.want) || strings.Contains(r.stderr, nobody) {
			t.Errorf("%s: %d %s %s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}

// TestANodeManagerFindsItsResourceManager by the gossip of any member, also one that comes later and listens elsewhere; by its own gossip
// the new one finds the cluster.
func TestANodeManagerFindsItsResourceManager(t *testing.T) {
	t.Parallel()
	old, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	log := &lines{to: t.Output()}
	_, nm := daemonTo(t, log, nil, append([]string{
		"nodemanager", "gossip://" + rm.Gossip, "--port", "0", "--local-dirs", t.TempDir(), "--log-dirs", t.TempDir(),
	}, quick...)...)
	log.until(t, "Registered with ResourceManager")
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	log.until(t, "resourcemanager left")
	_, rm = daemon(t, append([]string{"resourcemanager", "--port", "0", "--join", nm.Gossip}, quick...)...)
	log.until(t, "Connecting to ResourceManager at "+strings.TrimPrefix(rm.URL, "yarn://"))
	r := here(t, "submit", "--master", "gossip://"+nm.Gossip, "--status", "application_1_0001")
	if r.code != 1 || !strings.Contains(r.stdout+r.stderr, "application_1_0001") || strings.Contains(r.stderr, "answers") {
		t.Errorf("%d %s%s", r.code, r.stdout, r.stderr)
	}
	// A Master among the members is none of YARN.
	_, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0", "--join", nm.Gossip)
	for args, want := range map[string]string{
		"rmadmin refresh-nodes --master gossip://" + nm.Gossip:      "hold as they are now",
		"why app application_1_0001 --master gossip://" + nm.Gossip: "application_1_0001",
		"status --master gossip://" + nm.Gossip:                     "Master " + master.URL + " is ALIVE",
	} {
		if r := here(t, strings.Fields(args)...); !strings.Contains(r.stdout+r.stderr, want) || strings.Contains(r.stderr, "want yarn://") {
			t.Errorf("%s: %d %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}

// shownMember is a member as coherer members -o json shows it.
type shownMember struct {
	Name, Role, ID, RPC, Gossip, Load, State string
	Leads                                    bool
	Since, StateSince                        time.Time
	SuspectedBy                              []string
}

// untilMembers looks at the members that one knows, those that are gone left out, until ok.
func untilMembers(t *testing.T, at string, ok func([]shownMember) bool) []shownMember {
	t.Helper()
	return untilStandings(t, at, func(all []shownMember) bool { return ok(there(all)) })
}

// there are those that are not gone.
func there(all []shownMember) []shownMember {
	return slices.DeleteFunc(slices.Clone(all), func(m shownMember) bool { return m.State == "left" || m.State == "failed" })
}

// untilStandings looks at what one believes of the members until ok.
func untilStandings(t *testing.T, at string, ok func([]shownMember) bool) []shownMember {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		r := here(t, "members", "--join", at, "-o", "json")
		var all []shownMember
		if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || r.code != 0 {
			t.Fatalf("%v: %d %s %s", err, r.code, r.stdout, r.stderr)
		}
		if ok(all) {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s knows %+v", at, all)
		}
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
	all := untilMembers(t, at, func(all []shownMember) bool {
		got := map[string]bool{}
		for _, m := range all {
			got[m.Role+" "+m.RPC] = true
		}
		return maps.Equal(got, wants)
	})
	for _, m := range all {
		if m.Leads != (m.Role == "master" || m.Role == "resourcemanager") || time.Since(m.Since) > time.Hour || m.Gossip == "" {
			t.Errorf("%+v", m)
		}
	}
	r := here(t, "members", "--join", at)
	if n := strings.Count(r.stdout, "\n"); n != 1+len(wants) || !strings.HasPrefix(r.stdout, "ROLE") {
		t.Errorf("%d lines: %s", n, r.stdout)
	}
}

func TestMembersWantsAMember(t *testing.T) {
	t.Parallel()
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
