package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/process"
)

// TestANodeBehindACutIsLostInSeconds, in network namespaces: a cut lets no packet through, so that no connection ends. Behind it one Worker
// lives, and another is killed, which leaves its connection half open. Both are lost long before their time-out of 60 s; after
// the cut the one that lives registers again.
func TestANodeBehindACutIsLostInSeconds(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, 3)
	log := &lines{to: t.Output()}
	_, master := n.daemon(t, 0, log, "master", "--port", "0")
	lives := []string{"worker", master.URL, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir"}
	_, living := n.daemon(t, 1, t.Output(), append(lives, t.TempDir())...)
	killed, half := n.daemon(t, 2, t.Output(), append(lives, t.TempDir())...)
	log.until(t, "worker joined", "worker joined")
	for _, w := range []process.Ready{living, half} {
		log.until(t, "Registering worker "+strings.TrimPrefix(w.URL, "spark://"))
	}

	n.cut(t, 1)
	n.cut(t, 2)
	endHard(t, killed)
	for _, w := range []process.Ready{living, half} {
		at := strings.TrimPrefix(w.URL, "spark://")
		log.until(t, at+" is suspected to be gone, asking it", "before its time-out: Gave no answer", "on "+at)
	}
	if said := log.String(); strings.Contains(said, "disassociated") {
		t.Errorf("a connection has ended, so that this shows nothing:\n%s", said)
	}
	n.heal(t, 1)
	n.heal(t, 2)
	at := strings.TrimPrefix(living.URL, "spark://")
	log.until(t, "on "+at, "A member has joined where lost worker", "Registering worker "+at)
	if said := log.String(); strings.Count(said, "A member has joined where lost worker") != 1 {
		t.Errorf("the Worker that was killed is back:\n%s", said)
	}
}

// network is machines, each a network namespace with one address, and a further one that passes their packets on.
type network struct {
	name string
}

// newNetwork makes a network of so many machines for a test, which is skipped where that is not allowed.
func newNetwork(t *testing.T, machines int) *network {
	t.Helper()
	n := &network{fmt.Sprintf("coherer%d", os.Getpid())}
	if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here: %v %s", err, out)
	}
	t.Cleanup(func() { n.ip(t, "netns del "+n.name) })
	for i := range machines {
		m := n.machine(i)
		n.ip(t, "netns add "+m)
		t.Cleanup(func() { n.ip(t, "netns del "+m) }) // after its processes have ended
		n.ip(t, fmt.Sprintf("-n %s link add up%d type veth peer name net netns %s", n.name, i, m))
		n.ip(t, fmt.Sprintf("-n %s addr add 10.77.%d.1/24 dev up%d", n.name, i, i))
		n.ip(t, fmt.Sprintf("-n %s link set up%d up", n.name, i))
		n.ip(t, fmt.Sprintf("-n %s addr add %s/24 dev net", m, n.host(i)))
		n.ip(t, "-n "+m+" link set lo up")
		n.ip(t, "-n "+m+" link set net up")
		n.ip(t, fmt.Sprintf("-n %s route add default via 10.77.%d.1", m, i))
	}
	n.ip(t, "netns exec "+n.name+" sysctl -qw net.ipv4.ip_forward=1")
	return n
}

func (n *network) machine(i int) string { return fmt.Sprintf("%s-%d", n.name, i) }

func (*network) host(i int) string { return fmt.Sprintf("10.77.%d.2", i) }

// ip runs the program of that name.
func (*network) ip(t *testing.T, args string) {
	t.Helper()
	if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v %s", args, err, out)
	}
}

// cut lets nothing to a machine, or from it, through; heal ends that.
func (n *network) cut(t *testing.T, i int) {
	t.Helper()
	n.ip(t, "-n "+n.name+" rule add to "+n.host(i)+" blackhole")
	n.ip(t, "-n "+n.name+" rule add from "+n.host(i)+" blackhole")
}

func (n *network) heal(t *testing.T, i int) {
	t.Helper()
	n.ip(t, "-n "+n.name+" rule del to "+n.host(i)+" blackhole")
	n.ip(t, "-n "+n.name+" rule del from "+n.host(i)+" blackhole")
}

// daemon starts a daemon on a machine.
func (n *network) daemon(t *testing.T, i int, log io.Writer, args ...string) (*exec.Cmd, process.Ready) {
	t.Helper()
	cmd := command(t, append(args, "--host", n.host(i), "--ready-fd", "3")...)
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path, cmd.Args = ip, append([]string{"ip", "netns", "exec", n.machine(i)}, cmd.Args...)
	return cmd, startDaemon(t, cmd, log)
}
