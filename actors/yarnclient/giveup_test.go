package yarnclient

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// What GiveUp does depends on how far the client has come; the listener hears nothing.
func TestADriverThatEndsTooEarlyGivesTheApplicationUp(t *testing.T) {
	accepted := state(yarn.YarnApplicationState_ACCEPTED)
	for name, tt := range map[string]struct {
		reports []*yarn.ApplicationReport
		until   string // what the ResourceManager is asked last before
		killed  bool
		heard   int
	}{
		"while it waits":          {[]*yarn.ApplicationReport{accepted}, "GetApplicationReport", true, 1},
		"while it is handed in":   {[]*yarn.ApplicationReport{accepted}, "SubmitApplication", true, 0},
		"before it is handed in":  {[]*yarn.ApplicationReport{accepted}, "GetNewApplication", false, 0},
		"before it begins":        {nil, "", false, 0},
		"when it ended by itself": {[]*yarn.ApplicationReport{accepted, succeeded}, "GetApplicationReport", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			k := start(t, Config{Submit: client()}, &manager{most: 8192, reports: tt.reports})
			reached := func() bool {
				return tt.until == "" || len(k.got) > 0 && strings.HasSuffix(k.got[len(k.got)-1], tt.until) && len(k.heard) == tt.heard
			}
			if err := k.w.Run(reached, time.Hour); err != nil {
				t.Fatal(err, k.got)
			}
			p := k.w.ProbeIn(k.env, "Driver")
			r, err := rpctest.Ask[*rpc.Bool](p, k.ref, GiveUp{})
			if ended := name == "when it ended by itself"; err != nil || r.GetValue() == ended {
				t.Fatal(r, err)
			}
			k.w.Advance(time.Minute)
			if killed := slices.Equal(k.why, []string{"its driver ended before its ApplicationMaster registered"}); killed != tt.killed || len(k.heard) != tt.heard {
				t.Errorf("it asked for %q because %q, the listener got %q", k.got, k.why, k.heard)
			}
			if tt.until == "" && len(k.got) > 0 {
				t.Errorf("it asked for %q", k.got)
			}
			k.idle()
			if n := len(k.files.did); n > 0 && !slices.Contains(k.files.did, "remove "+dir) {
				t.Errorf("files: %q", k.files.did)
			}
		})
	}
}

// A client that is given up while it copies files removes them when they are there.
func TestGivenUpWhileFilesAreCopied(t *testing.T) {
	k := startWith(t, &files{slow: time.Second}, Config{Submit: client()}, &manager{most: 8192})
	k.w.Advance(100 * time.Millisecond)
	if r, err := rpctest.Ask[*rpc.Bool](k.w.ProbeIn(k.env, "Driver"), k.ref, GiveUp{}); err != nil || !r.GetValue() {
		t.Fatal(r, err)
	}
	if len(k.got) != 1 || len(k.files.did) != 4 || k.files.did[3] != "remove "+dir {
		t.Errorf("it asked for %q, files %q", k.got, k.files.did)
	}
}

// What could not be handed in yet is not handed in after the client was given up: nobody would end it.
func TestGivenUpWhileTheResourceManagerReadsItsRecords(t *testing.T) {
	m := &manager{most: 8192}
	k := start(t, Config{Submit: client()}, m, "yarn.resourcemanager.connect.retry-interval.ms", "1000")
	handedIn := func() bool { return len(k.got) > 0 && strings.HasSuffix(k.got[len(k.got)-1], "GetNewApplication") }
	if err := k.w.Run(handedIn, time.Hour); err != nil {
		t.Fatal(err)
	}
	m.reading = 2 // the submission, and the word of its end
	if err := k.w.Run(func() bool { return m.reading == 1 }, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := rpctest.Ask[*rpc.Bool](k.w.ProbeIn(k.env, "Driver"), k.ref, GiveUp{}); err != nil {
		t.Fatal(err)
	}
	k.w.Advance(time.Minute)
	if k.handed != nil || !strings.HasSuffix(k.got[len(k.got)-1], "KillApplication") {
		t.Errorf("it asked for %q", k.got)
	}
}

// An end that the ResourceManager refuses is answered with false, and its files stay: the application may go on.
func TestGivenUpInVain(t *testing.T) {
	k := start(t, Config{Submit: client()}, &manager{most: 8192, immune: rpcenv.NewRefusal("x.acl", "ann may not"), reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED)}})
	k.w.Advance(5 * time.Second)
	if r, err := rpctest.Ask[*rpc.Bool](k.w.ProbeIn(k.env, "Driver"), k.ref, GiveUp{}); err != nil || r.GetValue() {
		t.Error(r, err)
	}
	k.staged("copy /bin/coherer "+dir+"/__spark_libs___coherer", "copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
	if want := "warning The application " + appText + " may go on without its driver: end it with coherer submit --master yarn --kill " + appText + " (ann may not)\n"; !strings.HasSuffix(k.lines(), want) {
		t.Error(k.lines())
	}
}

// A driver that gave up before the ResourceManager was found to be missing hears nothing of that.
func TestGivenUpBeforeThereIsAResourceManager(t *testing.T) {
	k := &kit{t: t, w: rpctest.New(t, 1)}
	s := client()
	s.Files = &files{}
	k.run(Config{ResourceManager: rpcenv.Address{Host: "10.9.9.9", Port: 8032}, Submit: s})
	if r, err := rpctest.Ask[*rpc.Bool](k.w.ProbeIn(k.env, "Driver"), k.ref, GiveUp{}); err != nil || !r.GetValue() {
		t.Fatal(r, err)
	}
	k.w.Advance(time.Minute)
	if len(k.heard) != 0 {
		t.Errorf("%q", k.heard)
	}
}
