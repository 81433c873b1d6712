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

func TestWhatExecutorsAndDriversHaveIsShownByName(t *testing.T) {
	b := newBooks(1, 1)
	b.add(&executor{resources: []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"1"}}, {Name: "fpga", Addresses: []string{"0"}}}})
	b.add(&executor{resources: gpus("0", "1")})
	b.addDriver(&driver{resources: []*deploy.ResourceInformation{{Name: "nic", Addresses: []string{"a"}}, {Name: "gpu", Addresses: []string{"2"}}}})
	if got := fmt.Sprint(b.resourcesUsed()); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(fmt.Sprint([]*deploy.ResourceInformation{
		{Name: "fpga", Addresses: []string{"0"}}, {Name: "gpu", Addresses: []string{"0", "1", "2"}}, {Name: "nic", Addresses: []string{"a"}},
	})), " ") {
		t.Error(got)
	}
}

func TestWhatIsNoResourcesFile(t *testing.T) {
	entry := func(name, addresses string) string {
		return `{"id":{"componentName":"spark.worker","resourceName":"` + name + `"},"addresses":[` + addresses + `]}`
	}
	many := strings.Repeat(`"0",`, MaxAddresses) + `"0"`
	for text, want := range map[string]string{
		`{`:                                 `unexpected end of JSON input: want [{"id": {"componentName": "spark.worker", "resourceName": "gpu"}, "addresses": ["0"]}]`,
		`[` + entry("", `"0"`) + `]`:        `resource "" with 1 addresses: want a name, and 4096 addresses at most`,
		`[` + entry("gpu", many) + `]`:      `resource "gpu" with 4097 addresses: want a name, and 4096 addresses at most`,
		`[` + entry("gpu", `""`) + `]`:      `resource gpu has the address "" empty, too long or twice`,
		`[` + entry("gpu", `"a","a"`) + `]`: `resource gpu has the address "a" empty, too long or twice`,
		`[` + entry("gpu", `"`+strings.Repeat("a", 257)+`"`) + `]`:                               `resource gpu has the address "` + strings.Repeat("a", 64) + `" empty, too long or twice`,
		`[` + entry("gpu", `"0"`) + `,` + entry("fpga", `"0"`) + `,` + entry("gpu", `"1"`) + `]`: `resource "gpu" is named twice`,
	} {
		if got, err := ParseResources(WorkerComponent, []byte(text)); err == nil || err.Error() != want || got != nil {
			t.Errorf("%.80s: %v %v, want %s", text, got, err, want)
		}
	}
	r := &deploy.ResourceInformation{Name: "gpu", Addresses: []string{strings.Repeat("a", 256)}}
	for i := range MaxAddresses - 1 {
		r.Addresses = append(r.Addresses, fmt.Sprint(i))
	}
	if err := CheckResource(r); err != nil {
		t.Error("the largest:", err)
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
