package nodemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// pidProcess is a process with a number, which a simulation has not.
type pidProcess struct{ rpcenv.Process }

func (pidProcess) PID() int { return 77 }

// watched is a NodeManager with a container that is judged by what the test says it uses.
func watched(t *testing.T, settings map[string]string) (*kit, *fakes, string) {
	k := newKit(t)
	f := &fakes{}
	settings["yarn.nodemanager.container-monitor.interval-ms"] = "3000"
	n := New(Config{ResourceManager: k.rm.Env.Address(), MemoryMB: 4096, VCores: 4, Machine: f})
	k.startAs(n, settings)
	id := k.running(1, nil)
	k.w.Settle()
	for _, x := range n.books.containers {
		if x.State != machine.Running {
			t.Fatalf("%s", x.State)
		}
		x.process = pidProcess{x.process}
	}
	return k, f, id.String()
}

const mib = 1 << 20

// real-yarn D5: the texts and statuses of the memory watch, which is off unless memory.enforced is false.
func TestMemoryIsWatched(t *testing.T) {
	off := map[string]string{"yarn.nodemanager.resource.memory.enforced": "false"}
	for name, tt := range map[string]struct {
		settings map[string]string
		usage    Usage
		looks    int // until the end; 0: never
		status   int32
		says     string
	}{
		"within":      {off, Usage{1024 * mib, 2150 * mib}, 0, 0, ""},
		"a little":    {off, Usage{1536 * mib, 0}, 2, -104, "is running 536870912B beyond the 'PHYSICAL' memory limit. Current usage: 1.5 GB of 1 GB physical memory used; 0 B of 2.1 GB virtual memory used. Killing container."},
		"twice":       {off, Usage{2049 * mib, 0}, 1, -104, "'PHYSICAL'"},
		"virtual":     {off, Usage{2049 * mib, 9 << 30}, 1, -103, "'VIRTUAL' memory limit. Current usage: 2.0 GB of 1 GB physical memory used; 9 GB of 2.1 GB virtual memory used."},
		"enforced":    {map[string]string{}, Usage{9 << 30, 9 << 30}, 0, 0, ""},
		"no checks":   {map[string]string{"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.pmem-check-enabled": "false", "yarn.nodemanager.vmem-check-enabled": "false"}, Usage{9 << 30, 9 << 30}, 0, 0, ""},
		"no vmem":     {map[string]string{"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.vmem-check-enabled": "false"}, Usage{0, 9 << 30}, 0, 0, ""},
		"a wider one": {map[string]string{"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.vmem-pmem-ratio": "10"}, Usage{0, 9 << 30}, 0, 0, ""},
	} {
		k, f, id := watched(t, tt.settings)
		f.usage = tt.usage
		ended := func() bool { _, yes := k.children[0].Exited(); return yes }
		for i := range max(tt.looks, 3) {
			if ended() {
				t.Errorf("%s: it ends after %d looks", name, i)
			}
			k.w.Advance(3 * time.Second)
			if i+1 == tt.looks {
				break
			}
		}
		if ended() != (tt.looks > 0) {
			t.Errorf("%s: ended %t", name, ended())
		}
		if tt.looks == 0 {
			continue
		}
		s := k.reported(containerID(app1, 1), yarn.ContainerState_C_COMPLETE)
		if s.GetExitStatus() != tt.status || !strings.HasPrefix(s.GetDiagnostics(), "Container [pid=77,containerID="+id+"] is running ") ||
			!strings.Contains(s.GetDiagnostics(), tt.says) {
			t.Errorf("%s: %s", name, text(s))
		}
	}
}

// A peak that is over at the next look is forgiven.
func TestAPeakIsForgiven(t *testing.T) {
	k, f, _ := watched(t, map[string]string{"yarn.nodemanager.resource.memory.enforced": "false"})
	for i := range 6 {
		f.usage = Usage{Resident: int64(1000+500*(i%2)) * mib}
		k.w.Advance(3 * time.Second)
	}
	if _, ended := k.children[0].Exited(); ended {
		t.Error("it was ended")
	}
}

// real-yarn D5: 322.7 MB of 256 MB.
func TestBinarySizes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KB", 338374656: "322.7 MB", 256 * mib: "256 MB", 281857229: "268.8 MB", 1<<30 - 1: "1.0 GB", 3 << 29: "1.5 GB", 1 << 62: "4 EB",
	} {
		if got := binarySize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// The watch ends a container when two looks in a row see it above its limit, or one above twice its limit: not at just that.
func TestTheLimitsOfTheWatch(t *testing.T) {
	const gib = 1 << 30
	pmem, vmem := int64(gib), int64(2254857830) // 2.1 times as much
	physical := "is running 1B beyond the 'PHYSICAL' memory limit. Current usage: %s of 1 GB physical memory used; 0 B of 2.1 GB virtual memory used. Killing container.\n"
	virtual := "is running 1B beyond the 'VIRTUAL' memory limit. Current usage: 0 B of 1 GB physical memory used; 2.1 GB of 2.1 GB virtual memory used. Killing container.\n"
	for name, tt := range map[string]struct {
		looks  []Usage
		status int32 // 0: it lives
		says   string
	}{
		"at its limit":                {[]Usage{{pmem, vmem}, {pmem, vmem}}, 0, ""},
		"above it twice":              {[]Usage{{pmem + 1, 0}, {pmem + 1, 0}}, -104, fmt.Sprintf(physical, "1.0 GB")},
		"virtually above it twice":    {[]Usage{{0, vmem + 1}, {0, vmem + 1}}, -103, virtual},
		"one after the other":         {[]Usage{{pmem + 1, 0}, {0, vmem + 1}}, -103, virtual},
		"one of them twice its":       {[]Usage{{pmem + 1, 2*vmem + 1}}, -103, "is running 2254857831B beyond the 'VIRTUAL' memory limit. Current usage: 1.0 GB of 1 GB physical memory used; 4.2 GB of 2.1 GB virtual memory used. Killing container.\n"},
		"not in a row":                {[]Usage{{pmem + 1, 0}, {pmem, 0}, {pmem + 1, 0}}, 0, ""},
		"at twice its limit":          {[]Usage{{2 * pmem, 0}}, 0, ""},
		"above that":                  {[]Usage{{2*pmem + 1, 0}}, -104, "is running 1073741825B beyond the 'PHYSICAL' memory limit. Current usage: 2.0 GB of 1 GB physical memory used; 0 B of 2.1 GB virtual memory used. Killing container.\n"},
		"virtually at twice its":      {[]Usage{{0, 2 * vmem}}, 0, ""},
		"virtually above that":        {[]Usage{{0, 2*vmem + 1}}, -103, "is running 2254857831B beyond the 'VIRTUAL' memory limit. Current usage: 0 B of 1 GB physical memory used; 4.2 GB of 2.1 GB virtual memory used. Killing container.\n"},
		"above both":                  {[]Usage{{2*pmem + 1, vmem + 1}}, -103, "is running 1B beyond the 'VIRTUAL' memory limit. Current usage: 2.0 GB of 1 GB physical memory used; 2.1 GB of 2.1 GB virtual memory used. Killing container.\n"},
		"a look that could not be":    {[]Usage{{pmem + 1, 0}, {-1, 0}, {pmem, 0}, {pmem + 1, 0}}, 0, ""},
		"a look that counts no other": {[]Usage{{pmem + 1, 0}, {-1, 0}, {pmem + 1, 0}}, -104, fmt.Sprintf(physical, "1.0 GB")},
	} {
		k, f, id := watched(t, map[string]string{"yarn.nodemanager.resource.memory.enforced": "false"})
		for _, f.usage = range tt.looks {
			f.fail = nil
			if f.usage.Resident < 0 {
				f.fail = map[string]error{"usage": errors.New("no such file")}
			}
			k.w.Advance(3 * time.Second)
		}
		want := "C_RUNNING -1000"
		if tt.status != 0 {
			want = fmt.Sprintf("C_COMPLETE %d Container [pid=77,containerID=%s] %sContainer killed on request. Exit code is 143\n", tt.status, id, tt.says)
		}
		if got := k.status(containerID(app1, 1)); got != strings.TrimSpace(strings.ReplaceAll(want, "\n", "|")) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		if failed := k.lines("cannot be seen"); f.fail != nil && !slices.Equal(failed, []string{"warning The memory of container " + id + " cannot be seen: no such file"}) {
			t.Errorf("%q", failed)
		}
	}
}

// One of the two checks is enough for the watch; each looks at its own limit alone.
func TestEachCheckIsForItself(t *testing.T) {
	for _, tt := range []struct {
		physical, virtual string
		usage             Usage
		ends              bool
	}{
		{"true", "false", Usage{9 << 30, 0}, true},
		{"true", "false", Usage{0, 9 << 30}, false},
		{"false", "true", Usage{9 << 30, 0}, false},
		{"false", "true", Usage{0, 9 << 30}, true},
		// A little above one limit, far above the other, which does not count.
		{"true", "false", Usage{1<<30 + 1, 9 << 30}, false},
		{"false", "true", Usage{9 << 30, 2254857831}, false},
	} {
		k, f, _ := watched(t, map[string]string{
			"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.pmem-check-enabled": tt.physical, "yarn.nodemanager.vmem-check-enabled": tt.virtual,
		})
		f.usage = tt.usage
		k.w.Advance(3 * time.Second)
		if _, ended := k.children[0].Exited(); ended != tt.ends {
			t.Errorf("%+v: ended %t", tt, ended)
		}
	}
}

// A container that waits for its process, or has one without a number, is not looked at; a look at a process that has ended
// meanwhile counts for nobody.
func TestOnlyProcessesAreLookedAt(t *testing.T) {
	k, f, _ := watched(t, map[string]string{"yarn.nodemanager.resource.memory.enforced": "false"})
	f.usage, f.wait = Usage{9 << 30, 0}, time.Second
	k.run(2, nil) // it has no number in a simulation
	k.w.Advance(2500 * time.Millisecond)
	k.w.Until("a look", func() bool { return f.count("usage 77") == 1 })
	k.children[0].Exit(0)
	k.w.Advance(10 * time.Second)
	if got := k.status(containerID(app1, 1)); got != "C_COMPLETE 0" {
		t.Errorf("%s", got)
	}
	if got := k.lines("is running "); len(got) > 0 || f.count("usage 0") > 0 || f.count("usage 77") != 1 {
		t.Errorf("%q, %q", got, f.log)
	}
}
