package spark

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/bench/measure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNoSpark(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("SPARK_HOME", "")
	t.Setenv("PATH", empty) // no python3
	if _, _, err := Build(t.Context(), t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("without Python: %v", err)
	}
	t.Setenv("SPARK_HOME", empty)
	if _, _, err := Build(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "SPARK_HOME: there is no jars/spark-core_*.jar in "+empty) {
		t.Errorf("an empty SPARK_HOME: %v", err)
	}
}

// fakeSpark is a folder that looks like a Spark and has no class.
func fakeSpark(t *testing.T, folder string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, "jars"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"__init__.py", "jars/spark-core_2.13-4.1.1.jar"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestPyspark(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	packages := t.TempDir()
	t.Setenv("SPARK_HOME", "")
	t.Setenv("PYTHONPATH", packages)
	want := fakeSpark(t, filepath.Join(packages, "pyspark"))
	if got, err := home(t.Context()); got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// A Spark that the program does not compile against, or no JDK, is why there is no contender.
func TestUnfitSpark(t *testing.T) {
	t.Setenv("SPARK_HOME", fakeSpark(t, t.TempDir()))
	t.Setenv("JAVA_HOME", t.TempDir())
	if _, _, err := Build(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "install a JDK of version 17") {
		t.Errorf("without a JDK: %v", err)
	}
	t.Setenv("JAVA_HOME", "")
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip(err)
	}
	if _, _, err := Build(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "compile against the Spark in ") {
		t.Errorf("without classes: %v", err)
	}
}

// peer is a process of the program.
type peer struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func start(t *testing.T, java string, args []string) (*peer, *measure.Hello) {
	t.Helper()
	p := &peer{t: t, cmd: exec.CommandContext(context.Background(), java, args...)}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, measure.MaxLine)
	return p, p.hear().Hello
}

func (p *peer) hear() (a measure.Answer) {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("it says nothing more: %v", p.lines.Err())
	}
	if err := json.Unmarshal(p.lines.Bytes(), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *peer) call(cmd measure.Command) measure.Answer {
	p.t.Helper()
	if err := json.NewEncoder(p.in).Encode(cmd); err != nil {
		p.t.Fatal(err)
	}
	return p.hear()
}

// end ends the process by the end of its stdin.
func (p *peer) end() {
	p.t.Helper()
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		p.t.Error(err)
	}
}

// The program obeys the control lines, and every message that Spark's RpcEnv is given arrives, in every case.
func TestTrials(t *testing.T) {
	java, args, err := Build(t.Context(), t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	// No message must be fast here.
	args = append(args[:len(args)-len(warmUp)], "0", "0", "0")
	receiver, hello := start(t, java, args)
	defer receiver.end()
	sender, _ := start(t, java, args)
	defer sender.end()
	if hello == nil || len(hello.Contenders) != 1 || hello.GOMAXPROCS != runtime.GOMAXPROCS(0) || !hello.Contenders[0].NoAllocs {
		t.Fatalf("hello: %+v", hello)
	}
	spark := hello.Contenders[0]
	for _, c := range spark.Cases {
		t.Run(string(c), func(t *testing.T) {
			spec := measure.Spec{
				Contender: spark.Name, Case: c, Pairs: 1, Size: 1 << 10, InFlight: 64, WarmUp: 50 * time.Millisecond,
				Duration: 50 * time.Millisecond, Record: measure.RecordOff,
			}
			if !c.Windowed() {
				spec.InFlight = 0
			}
			run := measure.RunCommand{Spec: spec}
			if c.Remote() {
				serving := receiver.call(measure.Command{Serve: &spec})
				if serving.Serving == nil {
					t.Fatalf("it does not serve: %s", serving.Error)
				}
				run.Address = serving.Serving.Address
			}
			answer := sender.call(measure.Command{Run: &run})
			if answer.Result == nil {
				t.Fatalf("no result: %s", answer.Error)
			}
			sent, received := answer.Result.Sent, answer.Result.Received
			if c.Remote() {
				received = receiver.call(measure.Command{Report: true}).Report
			}
			if received == nil || received.Messages != sent.Messages || received.Bytes != sent.Messages*uint64(spec.Size) || received.Fault != "" {
				t.Fatalf("sent %d, received %+v", sent.Messages, received)
			}
			latency := &received.Latency
			samples := (sent.Messages + measure.SampleEvery - 1) / measure.SampleEvery
			if c.Ask() {
				latency, samples = &sent.Latency, sent.Messages
			}
			if sent.Elapsed < spec.Duration || sent.Used.CPU <= 0 || latency.Count() != samples || latency.Percentile(0.5) <= 0 {
				t.Errorf("%s, CPU %s, %d latencies of %d, %d ns", sent.Elapsed, sent.Used.CPU, latency.Count(), samples, latency.Percentile(0.5))
			}
		})
	}
	if a := sender.call(measure.Command{Report: true}); a.Error == "" {
		t.Errorf("a report of nothing: %+v", a)
	}
}
