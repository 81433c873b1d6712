package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMemoryOfAContainerIsThatOfTheMachine(t *testing.T) {
	is := func(mb uint64) func() (uint64, error) { return func() (uint64, error) { return mb << 20, nil } }
	unknown := func() (uint64, error) { return 0, errors.New("no cgroup") }
	endless := func() (uint64, error) { return 1<<63 - 4096, nil }
	for _, c := range []struct {
		name    string
		system  func() (uint64, error)
		cgroup  func() (uint64, error)
		offered int
	}{
		{"all of the machine less 1 GiB", is(16384), unknown, 15360},
		{"a container's limit", is(16384), is(4096), 3072},
		{"a container without a limit", is(16384), endless, 15360},
		{"512 MiB at least", is(1100), unknown, 512},
		{"a small container", is(16384), is(256), 512},
		{"nothing is known", unknown, unknown, 512},
	} {
		if got := offered(c.system, c.cgroup); got != c.offered {
			t.Errorf("%s: %d MiB, want %d", c.name, got, c.offered)
		}
	}
}

func TestThisMachineHasSomething(t *testing.T) {
	if Cores() < 1 || Cores() > runtime.NumCPU() || MemoryMB() < leastMB {
		t.Errorf("%d cores, %d MiB", Cores(), MemoryMB())
	}
}

// settings makes a Conf of key, value, ...
func settings(t *testing.T, pairs ...string) *conf.Conf {
	t.Helper()
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	c, err := conf.New(m, known.All())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func file(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func script(t *testing.T, body string) string { return file(t, "#!/bin/sh\n"+body+"\n", 0o755) }

// plain is [{name [address ...]} ...].
func plain(resources []*deploy.ResourceInformation) string {
	out := []string{}
	for _, r := range resources {
		out = append(out, fmt.Sprintf("{%s %v}", r.GetName(), r.GetAddresses()))
	}
	return fmt.Sprint(out)
}

func TestResources(t *testing.T) {
	gpus := script(t, `echo '{"name": "gpu", "addresses": ["0", "1", "2"]}'`)
	listed := file(t, `[{"id": {"componentName": "spark.worker", "resourceName": "fpga"}, "addresses": ["a", "b"]},
		{"id": {"componentName": "spark.driver", "resourceName": "gpu"}, "addresses": ["9"]}]`, 0o600)
	for _, c := range []struct {
		name  string
		pairs []string
		want  string // or the error's text, after !
	}{
		{"none", nil, "[]"},
		{"by a script", []string{family + "gpu.amount", "3", family + "gpu.discoveryScript", gpus}, "[{gpu [0 1 2]}]"},
		{"no more than wanted", []string{family + "gpu.amount", "2", family + "gpu.discoveryScript", gpus}, "[{gpu [0 1]}]"},
		{"none of it", []string{family + "gpu.amount", "0", family + "gpu.discoveryScript", "nowhere"}, "[]"},
		{
			"by a file and a script, by name",
			[]string{
				family + "gpu.amount", "1", family + "gpu.discoveryScript", gpus, family + "fpga.amount", "2",
				"spark.worker.resourcesFile", listed,
			},
			"[{fpga [a b]} {gpu [0]}]",
		},
		{"too few", []string{family + "gpu.amount", "4", family + "gpu.discoveryScript", gpus}, "!has 3 of resource gpu, fewer than"},
		{"neither", []string{family + "gpu.amount", "4"}, "!set spark.worker.resource.gpu.discoveryScript"},
		{"no amount", []string{family + "gpu.discoveryScript", gpus}, "!gpu.amount is not set"},
		{"a bad amount", []string{family + "gpu.amount", "-1"}, "!want a number from 0"},
		{"a huge amount", []string{family + "gpu.amount", "99999999"}, "!want a number from 0"},
		{"a bad name", []string{family + "../x.amount", "1"}, "!want spark.worker.resource.NAME.amount"},
		{"no file", []string{family + "gpu.amount", "1", "spark.worker.resourcesFile", "/nowhere/f"}, "!spark.worker.resourcesFile: open"},
		{"a bad file", []string{family + "gpu.amount", "1", "spark.worker.resourcesFile", file(t, "{", 0o600)}, "!want [{"},
		{
			"a file that names one twice",
			[]string{family + "gpu.amount", "1", "spark.worker.resourcesFile", file(t, `[
				{"id": {"componentName": "spark.worker", "resourceName": "gpu"}, "addresses": ["0"]},
				{"id": {"componentName": "spark.worker", "resourceName": "gpu"}, "addresses": ["1"]}]`, 0o600)},
			"!twice",
		},
	} {
		got, err := Resources(t.Context(), settings(t, c.pairs...))
		text, bad := strings.CutPrefix(c.want, "!")
		switch {
		case bad && (err == nil || !strings.Contains(err.Error(), text)):
			t.Errorf("%s: error %v, want %q", c.name, err, text)
		case !bad && (err != nil || plain(got) != c.want):
			t.Errorf("%s: %v %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestADiscoveryScriptIsBounded(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"it goes on for ever", "exec sleep 600", "did not end within"},
		{"its child holds the pipe", "sleep 5 & exec sleep 600", "did not end within"},
		{"it fails", "echo no driver >&2; exit 3", "exit status 3: no driver"},
		{"it says too much", "head -c 100000 /dev/zero", "more than 65536 bytes"},
		{"it says nothing", "", "want {"},
		{"it says something else", `echo '["gpu"]'`, "want {"},
		{"no name", `echo '{"addresses": ["0"]}'`, "it has no name"},
		{"another name", `echo '{"name": "fpga", "addresses": ["0"]}'`, `names "fpga" instead`},
		{"an address twice", `echo '{"name": "gpu", "addresses": ["0", "0"]}'`, "twice"},
	} {
		within := time.Minute
		if strings.Contains(c.want, "within") {
			within = 50 * time.Millisecond
		}
		_, err := discover(t.Context(), "gpu", script(t, c.body), within)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := discover(t.Context(), "gpu", "/nowhere/script", time.Minute); err == nil {
		t.Error("a script that is not there")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name": "gpu", "addresses": ["0"]}`))
	f.Add([]byte(`{"name": 1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &deploy.ResourceInformation{}
		if decode(text, r) == nil && worker.CheckResource(r) == nil && slices.Contains(r.GetAddresses(), "") {
			t.Error(r)
		}
	})
}
