package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// both runs a call with some input.
func both(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(args, strings.NewReader(in), &out)
	return out.String(), err
}

const benchmarks = `goos: linux
BenchmarkFill/nodes=100-2   	       2	   8185654 ns/op	   1061360 allocations/cpu-s	         0.4600 p50-us
--- BENCH: BenchmarkFill/nodes=100-2
    a line of a log
BenchmarkFill/nodes=100-2   	       2	   9185654 ns/op	   1161360 allocations/cpu-s	         0.4600 p50-us
BenchmarkFill/nodes=100-2   	       2	   7185654 ns/op	    961360 allocations/cpu-s	         0.4600 p50-us
BenchmarkIdle    	 1000000	      1234 ns/op
PASS
`

func TestBenchmarksAreATableOfMedians(t *testing.T) {
	got, err := both(t, benchmarks, "gobench", "allocations/cpu-s", "p50-us", "ns/op")
	want := `| benchmark | allocations/cpu-s | p50-us | time |
|---|---:|---:|---:|
| Fill/nodes=100 | 1.06M (961k to 1.16M) | 0.46 | 8.19ms (7.19ms to 9.19ms) |
| Idle |  |  | 1.23µs |
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	for name, bad := range map[string][2]string{
		"a unit that is not there": {benchmarks, "msgs/s"},
		"no benchmark":             {"PASS\n", "ns/op"},
		"no number":                {"BenchmarkX 1 abc ns/op\n", "ns/op"},
	} {
		if got, err := both(t, bad[0], "gobench", bad[1]); err == nil || got != "" {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

const head = "case,size_bytes,in_flight,pairs,contender,per_second,allocs_per_message,cpu_ns_per_message,p50_ns,p99_ns\n"

const report = head + `remote-ask,1024,64,1,coherer,100,4,1000,5000,9000
remote-ask,1024,64,1,raw-tcp,150,6,1000,5000,9000
remote-ask,1024,64,1,nats,50,,1000,5000,9000
remote-ask,1024,64,1,coherer,140,4,3000,5000,9000
remote-ask,1024,64,1,coherer,120,4,2000,5000,9000
remote-ask,76,1,3,coherer,10,4.5,2000,5000,9000
remote-ask,76,1,3,raw-tcp,8,6,1000,5000,9000
one-way,76,0,1,coherer,10,4.5,2000,5000,9000
register-worker,0,64,1,coherer,10,4.5,2000,5000,9000
`

const reportTable = `| cell | a second | p50 | p99 | allocations | CPU | of raw-tcp | of nats |
|---|---:|---:|---:|---:|---:|---:|---:|
| remote-ask, 1 KiB, 64 in flight | 120 | 5µs | 9µs | 4.00 | 2µs | 0.80 | 2.40 |
| remote-ask, 76 B, 1 in flight, 3 pairs | 10.0 | 5µs | 9µs | 4.50 | 2µs | 1.25 |  |
| one-way, 76 B | 10.0 | 5µs | 9µs | 4.50 | 2µs |  |  |
| register-worker, 64 in flight, 1 peers | 10.0 | 5µs | 9µs | 4.50 | 2µs |  |  |
`

func TestTrialsAreATableOfRatios(t *testing.T) {
	if got, err := both(t, report, "trials"); err != nil || got != reportTable {
		t.Errorf("%v\n%s", err, got)
	}
	for name, bad := range map[string]string{
		"no trial":          head,
		"no column":         "case,contender\nx,coherer\n",
		"no trial of ours":  head + "remote-ask,1024,64,1,raw-tcp,150,6,1000,5000,9000\n",
		"no number":         head + "remote-ask,1024,64,1,coherer,fast,6,1000,5000,9000\n",
		"no CSV":            head + "remote-ask\n",
		"nothing":           "",
		"a failure in text": "coherer: no rival\n",
	} {
		if got, err := both(t, bad, "trials"); err == nil || got != "" {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

func TestLossesAreWhatTheTablesSay(t *testing.T) {
	text := "prose\n\n" + reportTable + "\nprose\n\n| what | of it |\n|---|---:|\n| more, b | 0.5 |\n| more, c | 0.25 |\n| more, d | 1.00 |\n\n" +
		"| no | ratio |\n|---|---:|\n| here | 0.1 |\n"
	want := `| case | rival | cells lost | worst ratio | nearest |
|---|---:|---:|---:|---:|
| more | it | 2 of 3 | 0.25 (c) | 0.5 (b) |
| remote-ask | raw-tcp | 1 of 2 | 0.80 (1 KiB, 64 in flight) | 0.80 (1 KiB, 64 in flight) |
`
	if got := losses(page(text)); got != want {
		t.Errorf("%s", got)
	}
}

func TestASectionIsReplacedAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	before := "# Head\n\n<!-- table a -->\n\nold\n\n<!-- end a -->\n\nprose\n\n<!-- table b -->\n\nother\n\n<!-- end b -->\n"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(before)
	if _, err := both(t, "    command\n\nnew\n", "insert", path, "a"); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if want := strings.Replace(before, "old", "    command\n\nnew", 1); err != nil || string(after) != want {
		t.Errorf("%v\n%s", err, after)
	}
	if names, err := both(t, "", "names", path); err != nil || names != "a\nb\n" {
		t.Errorf("%v %q", err, names)
	}
	for name, c := range map[string]struct{ page, table, section string }{
		"no such table":       {before, "c", "x"},
		"an empty section":    {before, "a", "\n\n"},
		"no end":              {strings.Replace(before, "<!-- end a -->", "", 1), "a", "x"},
		"twice":               {before + before, "a", "x"},
		"the end comes first": {"\n<!-- end a -->\n\n<!-- table a -->\n", "a", "x"},
	} {
		write(c.page)
		if _, err := both(t, c.section, "insert", path, c.table); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.page {
			t.Errorf("%s: the page has changed", name)
		}
	}
}

func TestMissedWantsAreNamed(t *testing.T) {
	text := page("\n<!-- table t -->\n\n    command\n\n| cell | a | time |\n|---|---:|---:|\n| x | 1.20k (1.1k to 2k) | 15ms |\n| y | 0.40 | 2s |\n\n<!-- end t -->\n")
	for line, missing := range map[string]bool{
		"t | x | a | >= 1200":       false,
		"t | x | a | >= 1201":       true,
		"t | x | a | <= 1200":       false,
		"t | x | a | <= 1199":       true,
		"t | x | time | <= 15ms":    false,
		"t | x | time | <= 14999us": true,
		"t | y | time | <= 134 x x": false,
		"t | y | time | <= 133 x x": true,
		"t | x | a | >= 3001 x y":   true,
		"t | x | a | >= 3000 x y":   false,
		"t | z | a | >= 1":          false,
		"t | x | b | >= 1":          false,
	} {
		wants, err := parseWants("# a comment\n" + line + "\n")
		if err != nil {
			t.Fatal(err)
		}
		got, err := missed(text, wants)
		if err != nil || strings.Contains(got, "| "+wants[0].text) != missing {
			t.Errorf("%s: %v\n%s", line, err, got)
		}
	}
	for _, bad := range []string{"t | x | a", "t | x | a | > 1", "t | x | a | >= much", "t | x | a | >= 2 x"} {
		if wants, err := parseWants(bad); err == nil {
			t.Errorf("%q: %+v", bad, wants)
		}
	}
}
