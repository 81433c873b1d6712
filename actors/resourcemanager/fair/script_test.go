package fair

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts of testdata/scripts come to into them")

// TestScripts plays what stands in testdata/scripts: each line that begins at the margin is a call, and the indented lines behind
// it are all that came of it. Lines that begin with < are of the allocation file for the call before; # begins a comment.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := playScript(t, string(data))
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			wants, gots := strings.Split(string(data), "\n"), strings.Split(got, "\n")
			for i := range max(len(wants), len(gots)) {
				want, is := at(wants, i), at(gots, i)
				if want != is {
					t.Fatalf("%s:%d is otherwise:\n%s\nwant\n%s", file, i+1, is, want)
				}
			}
		})
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "the end"
}

// playScript is the script with what its calls come to.
func playScript(t *testing.T, text string) string {
	var out strings.Builder
	p := &player{t: t}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "  "):
			continue
		case line == "", line[0] == '#', line[0] == '<':
			fmt.Fprintln(&out, line)
			continue
		}
		var file strings.Builder
		fmt.Fprintln(&out, line)
		for _, more := range lines[i+1:] {
			if !strings.HasPrefix(more, "<") {
				break
			}
			file.WriteString(more)
		}
		p.file = file.String()
		for _, l := range p.call(strings.Fields(line)) {
			if file.Len() > 0 { // the file comes first
				t.Fatalf("%s: %s", line, l)
			}
			fmt.Fprintln(&out, "  "+l)
		}
	}
	return out.String()
}

// player plays the calls of one script.
type player struct {
	t    *testing.T
	now  time.Duration
	file string // elements of the allocation file that stand behind a call
	role scheduling
	*Scheduler
}

// scheduling are the calls that Scheduler and FIFO both have.
type scheduling interface {
	AddNode(now time.Duration, spec NodeSpec) error
	RemoveNode(now time.Duration, id string) ([]Event, error)
	UpdateNodeResource(now time.Duration, id string, total Resource) error
	Drain(now time.Duration, id string, drain bool) error
	AddApp(now time.Duration, id ids.Application, sub Submission) (string, error)
	RemoveApp(now time.Duration, id ids.Application) []Event
	AddAttempt(now time.Duration, spec AttemptSpec) (bool, error)
	RemoveAttempt(now time.Duration, id ids.Attempt, keep bool) ([]Event, error)
	Allocate(now time.Duration, id ids.Attempt, d Demand) (Grant, error)
	Complete(now time.Duration, id ids.Container, end End) []Event
	Recover(now time.Duration, c Container) error
	MaximumAllocation(now time.Duration, queue string) Resource
	Cluster() Resource
	Live(id ids.Attempt) []Container
	Nodes() []NodeState
	App(id ids.Attempt) (AppState, bool)
	Queues() []QueueState
	NodeUpdate(now time.Duration, id string, launched []ids.Container, ended []Ended) ([]Event, error)
}

// begin makes the scheduler of a script: "scheduler fair Continuous=true".
func (p *player) begin(words []string) []string {
	conf := DefaultConfig()
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		p.set(reflect.ValueOf(&conf).Elem().FieldByName(name), value)
	}
	var err error
	switch words[0] {
	case "fifo":
		var f *FIFO
		f, err = NewFIFO(p.now, conf)
		p.role, p.Scheduler = f, nil
	default:
		if words[0] == "upstream" {
			conf.Faults = Upstream()
		}
		p.Scheduler, err = New(p.now, conf, parsed(p.t, conf.Faults, p.file))
		p.role = p.Scheduler
	}
	return p.failed(err)
}

// set gives a setting a value.
func (p *player) set(to reflect.Value, value string) {
	p.t.Helper()
	var err error
	switch to.Interface().(type) {
	case bool:
		to.SetBool(value == "true")
	case Resource:
		to.Set(reflect.ValueOf(p.amount(value)))
	case time.Duration:
		var d time.Duration
		d, err = time.ParseDuration(value)
		to.Set(reflect.ValueOf(d))
	case float64:
		var f float64
		f, err = strconv.ParseFloat(value, 64)
		to.SetFloat(f)
	default:
		to.SetInt(p.number(value))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// amount is "1024/1", or "1024" with one core.
func (p *player) amount(word string) Resource {
	p.t.Helper()
	memory, cores, ok := strings.Cut(word, "/")
	if !ok {
		cores = "1"
	}
	return Resource{p.number(memory), p.number(cores)}
}

func (p *player) number(word string) int64 {
	p.t.Helper()
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// attempt is "1", the first attempt of application 1, or "1.2".
func (p *player) attempt(word string) ids.Attempt {
	p.t.Helper()
	app, number, ok := strings.Cut(word, ".")
	if !ok {
		number = "1"
	}
	id := attemptOf(int32(p.number(app)))
	id.Attempt = int32(p.number(number))
	return id
}

// container is "1:1" or "1.2:1".
func (p *player) container(word string) ids.Container {
	p.t.Helper()
	attempt, seq, _ := strings.Cut(word, ":")
	return ids.Container{Attempt: p.attempt(attempt), Seq: p.number(seq)}
}

func (p *player) failed(err error) []string {
	if err == nil {
		return nil
	}
	return []string{"error: " + err.Error()}
}

// shown are the fields of a struct that are not zero, with all their words.
func shown(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Resource:
		if x == unbounded {
			return "unbounded"
		}
		return fmt.Sprintf("%d/%d", x.Memory, x.VCores)
	case ids.Attempt:
		return fmt.Sprintf("%d.%d", x.App.ID, x.Attempt)
	case ids.Container:
		return shown(reflect.ValueOf(x.Attempt)) + ":" + fmt.Sprint(x.Seq)
	case Key:
		return fmt.Sprintf("%d/%d", x.Priority, x.AllocationRequestID)
	case time.Duration:
		if x == never {
			return "never"
		}
		return x.String()
	case int:
		if x == unlimitedApps {
			return "unlimited"
		}
	case string:
		return strconv.Quote(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return shown(v.Elem())
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, shown(v.Index(i)))
		}
		return "[" + strings.Join(all, " ") + "]"
	case reflect.Struct:
		var all []string
		for _, f := range reflect.VisibleFields(v.Type()) {
			if len(f.Index) > 1 || v.FieldByIndex(f.Index).IsZero() {
				continue
			}
			text := shown(v.FieldByIndex(f.Index))
			if text[0] == '{' && f.Anonymous {
				text = text[1 : len(text)-1]
			} else {
				text = f.Name + "=" + text
			}
			all = append(all, text)
		}
		return "{" + strings.Join(all, " ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

func lines[T any](all []T) (out []string) {
	for _, x := range all {
		text := shown(reflect.ValueOf(x))
		out = append(out, text[1:len(text)-1])
	}
	return out
}
