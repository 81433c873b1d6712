package resourcemanager_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/rpcenv"
)

// shelf is a Store that outlives its ResourceManager.
type shelf struct {
	records map[string][]byte
	bad     []error
	latency time.Duration
	fail    error
	unread  error
}

func (s *shelf) Load(*rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	for _, key := range slices.Sorted(maps.Keys(s.records)) {
		kept = append(kept, records.Change{Key: key, Value: s.records[key]})
	}
	return kept, s.bad, s.unread
}

func (s *shelf) Write(b *rpcenv.Blocking, changes []records.Change) error {
	if s.latency > 0 {
		if err := b.Sleep(s.latency); err != nil {
			return err
		}
	}
	if s.fail != nil {
		return s.fail
	}
	for _, c := range changes {
		if c.Value == nil {
			delete(s.records, c.Key)
		} else {
			s.records[c.Key] = c.Value
		}
	}
	return nil
}

// Place makes the shelf name its records as a directory does.
func (s *shelf) Place(key string) string { return "/shelf/" + key }

// keptKit is a ResourceManager with records.
func keptKit(t *testing.T, settings ...string) (*kit, *shelf) {
	t.Helper()
	s := &shelf{records: map[string][]byte{}}
	return kitWith(t, resourcemanager.Config{Store: s}, settings...), s
}

// restart ends the ResourceManager as kill -9 does and begins another one, at another address, which its peers learn.
func (k *kit) restart() {
	k.t.Helper()
	k.Find("RM").Kill()
	k.Settle()
	k.Advance(1800 * time.Millisecond)
	k.start()
}

func TestABadRecordIsReportedAndTheRestRecovers(t *testing.T) {
	k, s := keptKit(t)
	app := k.submit(nil)
	s.records["application_1_0001"] = []byte{0xff}
	s.records["application_1_0002"] = s.records[app.String()]
	s.records["appattempt_1_0001_000001"] = []byte("x")
	s.records["something"] = nil
	s.bad = []error{errors.New("a file of nonsense")}
	k.Find("RM").Kill()
	k.Settle()
	k.env = k.Env("RM", k.conf)
	log := logtest.NewLocal(k.env.Log().Logger)
	k.begin()
	var told []string
	for _, e := range log.AllEntries() {
		if e.Level == logrus.ErrorLevel {
			told = append(told, e.Message)
		}
	}
	const advice = ": put a good copy in its place and start the ResourceManager again, or remove it and do without it"
	for i, want := range []string{
		"a file of nonsense", "/shelf/appattempt_1_0001_000001: proto:", "/shelf/application_1_0001: proto:",
		"/shelf/application_1_0002: it is the record of " + app.String() + advice,
		"/shelf/something: a ResourceManager keeps no record of this name" + advice,
	} {
		if i >= len(told) || !strings.HasPrefix(strings.ReplaceAll(told[i], "\u00a0", " "), "A record is bad and is not recovered: "+want) || i > 0 && !strings.HasSuffix(told[i], advice) {
			t.Errorf("%q is not logged at %d: %q", want, i, told)
		}
	}
	if apps := k.state().GetApps(); len(apps) != 1 || apps[0].GetReport().GetApplicationId().GetId() != app.ID {
		t.Errorf("recovered %v", apps)
	}
}

func TestAForgottenApplicationLeavesNoRecord(t *testing.T) {
	k, s := keptKit(t, "yarn.resourcemanager.max-completed-applications", "0")
	app := k.submit(nil)
	k.kill(app)
	k.Settle()
	if got := slices.Sorted(maps.Keys(s.records)); !slices.Equal(got, []string{"resource_manager"}) {
		t.Errorf("records %q", got)
	}
}
