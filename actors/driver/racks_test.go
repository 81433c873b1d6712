package driver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

const topology = "spark.hadoop.net.topology.table.file.name"

// started is the task that an executor gets next.
func (e *executor) started() *app.TaskDescription {
	e.r.t.Helper()
	m, ok := e.Next().(*app.LaunchTask)
	if !ok {
		e.r.t.Fatalf("executor %s got %T", e.id, m)
	}
	return m.GetData()
}

// A task whose host has no executor waits for one of the host's rack, then takes any.
func TestATaskPrefersTheRackOfItsData(t *testing.T) {
	table := rdd.MemFS{"racks": []byte("# hosts\nhost0 /r1\nhost1  /r1\n\nhost2 /r2\n")}
	r := newRig(t, 1, map[string]string{topology: "racks", "spark.locality.wait.rack": "7s"}, table)
	far, near1 := r.launched("2", 2), r.launched("1", 1)
	r.Settle()
	run(r, near.With([]string{"host0", "host0"}))
	r.Settle()
	if got := near1.started(); got.GetIndex() != 0 {
		t.Errorf("the executor of the rack got %v", got)
	}
	r.Advance(6 * time.Second)
	if early := far.Waiting(); len(early) > 0 {
		t.Fatalf("another executor got %v too early", early)
	}
	r.Advance(2500 * time.Millisecond) // offers come each second
	if len(far.Waiting()) == 0 {
		t.Fatal("after the wait for the rack another executor got nothing")
	}
	if got := far.started(); got.GetIndex() != 1 {
		t.Errorf("another executor got %v", got)
	}
}

func TestABadTableOfRacksEndsTheStart(t *testing.T) {
	for text, want := range map[string]string{
		"host0": "racks, line 1 has 1 columns: want a host and its rack", "a /r\nhost0 /r1 x": "line 2 has 3 columns", "missing": "name a file that is there",
	} {
		files := rdd.MemFS{"racks": []byte(text)}
		if text == "missing" {
			files = rdd.MemFS{}
		}
		w := rpctest.New(t, 1)
		_, err := driver.Start(w.Env("Driver", settings(t, map[string]string{topology: "racks"})), driver.Config{
			AppName: "test", Masters: []rpcenv.Address{{Host: "m", Port: 1}}, FS: files,
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
