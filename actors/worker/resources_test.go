package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

func gpus(addresses ...string) []*deploy.ResourceInformation {
	return []*deploy.ResourceInformation{{Name: "gpu", Addresses: addresses}}
}

// used is what the Worker's executors have, as text.
func (k *kit) used() string {
	k.t.Helper()
	var out []string
	for _, r := range k.state().GetResourcesUsed() {
		out = append(out, fmt.Sprint(r.GetName(), r.GetAddresses()))
	}
	return strings.Join(out, " ")
}

func TestResourcesAreOfferedGivenAndGivenBack(t *testing.T) {
	k := newKit(t)
	k.start(Config{Resources: gpus("0", "1", "2")}, nil)
	m := next[*deploy.RegisterWorker](k)
	if got := m.GetResources(); len(got) != 1 || len(got[0].GetAddresses()) != 3 {
		t.Errorf("offered %v", got)
	}
	k.master.Send(k.worker, k.registered(false, 0))
	next[*deploy.WorkerLatestState](k)
	for id, address := range []string{"2", "0"} {
		m := k.launch(int32(id))
		m.Resources = gpus(address)
		k.master.Send(k.worker, m)
	}
	k.untilReports(2)
	if got := k.used(); got != "gpu[0 2]" {
		t.Errorf("used %s", got)
	}
	k.children[0].Exit(0)
	k.untilReports(3)
	if got := k.used(); got != "gpu[0]" {
		t.Errorf("used %s", got)
	}
}

func TestResourcesThatAreNotThereAreRefused(t *testing.T) {
	for _, wanted := range [][]*deploy.ResourceInformation{gpus("3"), {{Name: "fpga", Addresses: []string{"0"}}}} {
		k := newKit(t)
		k.join(Config{Resources: gpus("0")}, nil)
		m := k.launch(0)
		m.Resources = wanted
		k.master.Send(k.worker, m)
		k.untilReports(1)
		if got := k.last(); !strings.HasPrefix(got, "FAILED this worker has no resource") {
			t.Errorf("reported %q", got)
		}
	}
}

// As in Spark: the Master's books count, and it may give cores again before the executor that had them has ended.
func TestMoreThanThereIsIsTakenAndLogged(t *testing.T) {
	k := newKit(t)
	k.join(Config{Cores: 1, MemoryMB: 512, Resources: gpus("0")}, nil)
	for id := range int32(2) {
		m := k.launch(id)
		m.Resources = gpus("0")
		k.master.Send(k.worker, m)
	}
	k.untilReports(2)
	k.w.Advance(time.Second)
	if s := k.state(); s.GetCoresUsed() != 2 || len(s.GetExecutors()) != 2 || k.used() != "gpu[0]" {
		t.Errorf("state %v", s)
	}
}

func TestAResourcesFileIsReadAsItIsWritten(t *testing.T) {
	text, err := FormatResources(ExecutorComponent, gpus("0", "b"))
	if want := `[{"id":{"componentName":"spark.executor","resourceName":"gpu"},"addresses":["0","b"]}]`; err != nil || string(text) != want {
		t.Errorf("%s %v", text, err)
	}
	got, err := ParseResources(ExecutorComponent, text)
	if err != nil || len(got) != 1 || got[0].GetName() != "gpu" || len(got[0].GetAddresses()) != 2 {
		t.Error(got, err)
	}
	if got, err := ParseResources(WorkerComponent, text); err != nil || len(got) != 0 {
		t.Error("of another component:", got, err)
	}
}

func FuzzParseResources(f *testing.F) {
	f.Add([]byte(`[{"id":{"componentName":"spark.worker","resourceName":"gpu"},"addresses":["0"]}]`))
	f.Add([]byte(`[{"addresses":null}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := ParseResources(WorkerComponent, text)
		if err != nil {
			return
		}
		for _, r := range all {
			if CheckResource(r) != nil {
				t.Error(r)
			}
		}
	})
}
