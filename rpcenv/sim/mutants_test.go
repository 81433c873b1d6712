package sim_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var mutantsFlag = flag.String("mutants", "fast", "which changes that break the runtime are tried: none, fast or all")

// mutant is a change that breaks the runtime on purpose: one piece of a file is replaced by another.
type mutant struct {
	what     string // does it do
	file     string // below rpcenv
	old, new string
	caught   []string // the kinds of problems by which it may be found
	fast     bool
}

// mutants are what the sweep must find.
var mutants = []mutant{
	{
		"an inbox puts new items before those that wait", "inbox.go",
		"in.queue = itemQueues.push(in.queue, *it)\n\tin.scheduleLocked()", "in.queue = itemQueues.push(in.queue, *it)\n\tfor range in.queue.len() - 1 {\n\t\tin.queue = itemQueues.push(in.queue, itemQueues.take(in.queue, 0))\n\t}\n\tin.scheduleLocked()",
		[]string{"FIFO", "start"},
		false,
	},
	{
		"an inbox may be stopped twice", "inbox.go",
		"\tin.stopped = true\n\tin.pool.concurrent = false", "\tin.pool.concurrent = false",
		[]string{"stop", "lost"},
		false,
	},
	{
		"an endpoint begins without OnStart", "register.go",
		"in.queue = itemQueues.push(in.queue, item{kind: itemStart,", "_ = itemQueues.push(nil, item{kind: itemStart,",
		[]string{"start"},
		false,
	},
	{
		"a message within an Env is handled inside the handler that sends it", "send.go",
		"if err := in.offer(&it); err != nil {", "if err := in.handle(&in.ctx, &it); err == ErrStopped {",
		[]string{"serial", "start", "lost", "ask"},
		false,
	},
	{
		"the end of an ask is reported twice", "outgoing_ask.go",
		"\tp.deliver(res)\n\treturn true", "\tp.deliver(res)\n\tp.deliver(res)\n\treturn true",
		[]string{"ask"},
		false,
	},
	{
		"an ask that went out has no time-out", "outgoing_ask.go",
		"\ton[request] = p\n\ta.addLocked(p)", "\ton[request] = p",
		[]string{"ask"},
		false,
	},
	{
		"an answer that finds its asker stopping is forgotten without an event", "ask.go",
		"in.env.recordUnheard(in.name, &k.outgoingAsk, result{id: id, err: k.err})", "_ = id",
		[]string{"lost"},
		false,
	},
	{
		"what waited for a connection goes out in the wrong order", "outbox.go",
		"\tqueue := ob.take()\n", "\tqueue := ob.take()\n\tif len(queue) > 1 {\n\t\tqueue[0], queue[1] = queue[1], queue[0]\n\t}\n",
		[]string{"FIFO"},
		true,
	},
	{
		"what cannot be sent is dropped without an event", "undelivered.go",
		"\te.dropped(&o, TypeName(o.msg), err)", "\t_ = err",
		[]string{"lost"},
		false,
	},
	{
		"what waits for a dial that fails is forgotten", "outbox.go",
		"\tob.failAll(failed, wakes, fmt.Errorf(\"%w: %s: %w\", ErrUnreachableDisconnected, ob.to, err))", "\t_, _, _ = failed, wakes, fmt.Sprint(err)",
		[]string{"quiet", "lost"},
		false,
	},
	{
		"some messages are lost on arrival", "receive.go",
		"\t\tc.gather(in, &it)\n", "\t\tif id.N%7 != 3 {\n\t\t\tc.gather(in, &it)\n\t\t}\n",
		[]string{"hole", "lost"},
		false,
	},
	{
		"some messages are counted and not sent", "conn.go",
		"\tc.link.Send(env)\n", "\tif c.out%11 != 5 {\n\t\tc.link.Send(env)\n\t}\n",
		[]string{"hole", "lost"},
		false,
	},
	{
		"a message that comes is put into its inbox twice", "receive.go",
		"\t\tc.gather(in, &it)\n", "\t\tc.gather(in, &it)\n\t\tc.gather(in, &it)\n",
		[]string{"once"},
		false,
	},
	{
		"endpoints do not hear of connections", "conn_life.go",
		"\te.endpoints.notify(item{kind: itemConnected, rare: &rare{name: \"connected\", addr: c.peer}})\n", "",
		[]string{"connection"},
		false,
	},
	{
		"endpoints hear of a connection's end twice", "conn_life.go",
		"\tc.reportEnd()", "\tc.reportEnd()\n\tc.reportEnd()",
		[]string{"connection"},
		false,
	},
	{
		"the result of a Run does not come back", "run.go",
		"\tr.then(r.result, r.err)\n", "",
		[]string{"run"},
		false,
	},
	{
		"a shutdown does not wait for OnStop", "shutdown.go",
		"\tif none {\n\t\te.close()\n\t}", "\t_ = none\n\te.close()",
		[]string{"shutdown", "lost", "hole", "stop"},
		false,
	},
	{
		"one connection's messages overtake each other", "sim/link.go",
		"\tp := l.queue[0]\n\tl.queue = l.queue[1:]", "\tif len(l.queue) > 1 && l.queue[1].e != nil && l.queue[0].e != nil && l.queue[0].e.Note != nil {\n\t\tl.queue[0], l.queue[1] = l.queue[1], l.queue[0]\n\t}\n\tp := l.queue[0]\n\tl.queue = l.queue[1:]",
		[]string{"FIFO"},
		false,
	},
}

// The source is still what the mutants change.
func TestMutantsFitTheSource(t *testing.T) {
	for _, m := range mutants {
		m.source(t)
	}
}

// source is the file that m changes.
func (m mutant) source(t *testing.T) (path, text string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), m.old); n != 1 {
		t.Errorf("%s has this %d times: change the mutant with the source:\n%s", m.file, n, m.old)
	}
	return path, string(b)
}

// Each change that breaks the runtime on purpose is found by the sweep.
func TestMutantsAreCaught(t *testing.T) {
	if *mutantsFlag == "none" || testing.Short() {
		t.Skip("not asked for")
	}
	dir := t.TempDir()
	for i, m := range mutants {
		if m.fast || *mutantsFlag == "all" {
			t.Run(strings.ReplaceAll(m.what, " ", "_"), func(t *testing.T) { try(t, m, filepath.Join(dir, fmt.Sprint(i))) })
		}
	}
}

// problemLine is a problem in what the sweep prints: KIND: TEXT.
var problemLine = regexp.MustCompile(`(?m)^ {10}([a-zA-Z ]+): `)

// try runs the sweep with one file replaced.
func try(t *testing.T, m mutant, dir string) {
	path, source := m.source(t)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(strings.Replace(source, m.old, m.new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-run", "^TestSeedsOfARandomWorkload$", "-seeds=60", ".").CombinedOutput()
	if err == nil {
		t.Fatalf("60 seeds did not find it: %s", out)
	}
	kinds := map[string]bool{}
	for _, found := range problemLine.FindAllStringSubmatch(string(out), -1) {
		kinds[found[1]] = true
	}
	if !slices.ContainsFunc(m.caught, func(kind string) bool { return kinds[kind] }) {
		t.Fatalf("found %v, want one of %q:\n%s", kinds, m.caught, out)
	}
	seeds := regexp.MustCompile(`(\d+) of 60 seeds failed`).FindStringSubmatch(string(out))
	if seeds == nil {
		t.Fatalf("how many seeds failed?\n%s", out)
	}
	t.Logf("mutant | %s | rpcenv/%s | %s of 60 seeds | %s", m.what, m.file, seeds[1], strings.Join(sorted(kinds), ", "))
}

func sorted(set map[string]bool) []string {
	var out []string
	for x := range set {
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}
