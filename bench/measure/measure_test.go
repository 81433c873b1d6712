package measure

import (
	"math"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int{"76B": 76, "76": 76, "1KiB": 1024, "64KiB": 65536, "2MiB": 2 << 20} {
		if got, err := ParseSize(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "B", "1kb", "-1B", "1.5KiB", "17MiB", "99999999999B"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
	for n, want := range map[int]string{0: "0B", 76: "76B", 1024: "1KiB", 1025: "1025B", 48 << 20: "48MiB"} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "500": 500, "0.5": 0.5, "20k": 20_000, "1.5M": 1_500_000, "-1": -1} {
		if got, err := ParseRate(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "k", "20K", "20 k", "2kk", "1G", "x"} {
		if got, err := ParseRate(text); err == nil || !strings.Contains(err.Error(), "such as 500, 20k or 1.5M") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Every size has a message, or an error that names the nearest sizes that have one.
func TestMessagesHaveTheirSize(t *testing.T) {
	without := 0
	for size := range 20_000 {
		m, err := newMessages(size, "0")
		if err != nil {
			if without++; size >= 17 && !strings.Contains(err.Error(), "the nearest have") {
				t.Fatal(size, err)
			}
			continue
		}
		for _, u := range []*app.StatusUpdate{m.plain, m.last, m.tell(0, false, time.Now()), m.tell(31, true, time.Now())} {
			if got := proto.Size(u); got != size {
				t.Fatalf("size %d: %d", size, got)
			}
		}
	}
	if want := 17 + 2 + 2; without != want { // the smallest, and where the two lengths grow
		t.Errorf("%d sizes have no message, want %d", without, want)
	}
}

func TestSpecNamesAllThatIsWrong(t *testing.T) {
	bad := Spec{Case: "local", Size: 3, InFlight: 0, Record: "all"}
	err := bad.Validate()
	if err == nil {
		t.Fatal("it is valid")
	}
	for _, want := range []string{`case "local"`, "in flight 0", "size 3B", "duration 0s", `record "all"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	for want, change := range map[string]func(*Spec){
		"512MiB":                            func(s *Spec) { s.Size, s.InFlight = 1<<20, 600 },
		"600 messages of 1MiB":              func(s *Spec) { s.Size, s.InFlight, s.Pairs = 1<<20, 6, 100 },
		"at most 1048576":                   func(s *Spec) { s.InFlight, s.Pairs = 1<<16, 20 },
		"pairs 0: local-tell has 1 to 1000": func(s *Spec) { s.Pairs = 0 },
		"pairs 1001":                        func(s *Spec) { s.Pairs = 1001 },
		"pairs 2: connect has 1 to 1":       func(s *Spec) { s.Case, s.Size, s.Pairs = Connect, 0, 2 },
		"connect has no message":            func(s *Spec) { s.Case = Connect },
		"one-way has no window":             func(s *Spec) { s.Case = OneWay },
		"rate -1":                           func(s *Spec) { s.Rate = -1 },
		"rate 999 a second: a trial of 1ms": func(s *Spec) { s.Rate = 999 },
		"rate 1e+09 a second: want up to":   func(s *Spec) { s.Rate = 1e9 },
		"rate NaN":                          func(s *Spec) { s.Rate = math.NaN() },
	} {
		s := spec(LocalTell, 76, 64)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func spec(c Case, size, inFlight int) Spec {
	return Spec{Contender: "x", Case: c, Pairs: 1, Size: size, InFlight: inFlight, Duration: time.Millisecond, Record: RecordOff}
}

// tell brings messages to a sink by hand, each through change.
func tell(t *testing.T, s Spec, change func(n int, m *app.StatusUpdate) []*app.StatusUpdate) (*Tell, *Sink, error) {
	t.Helper()
	source, err := NewTell(&s)
	if err != nil {
		t.Fatal(err)
	}
	sinks, err := newSinks(&s)
	if err != nil {
		t.Fatal(err)
	}
	sink := sinks[0]
	for n := 0; ; {
		var acks []*app.StatusUpdate
		under := 0
		for m := source.Next(); m != nil; m = source.Next() {
			under++
			for _, m := range change(n, m) {
				if ack := sink.Take(m); ack != nil {
					acks = append(acks, ack)
				}
			}
			n++
		}
		if under > s.InFlight {
			t.Fatalf("%d messages are in flight, want at most %d", under, s.InFlight)
		}
		if len(acks) == 0 {
			return source, sink, nil
		}
		for _, ack := range acks {
			if over, err := source.Acknowledged(ack); over || err != nil {
				return source, sink, err
			}
		}
	}
}

func asItIs(_ int, m *app.StatusUpdate) []*app.StatusUpdate { return []*app.StatusUpdate{m} }

func TestATellIsOverWhenAllHaveArrived(t *testing.T) {
	for _, inFlight := range []int{1, 2, 3, 64, 1000} {
		source, sink, err := tell(t, spec(LocalTell, 76, inFlight), asItIs)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := source.group.sent()
		if err != nil {
			t.Fatal(err)
		}
		got, err := sink.counts.measured()
		if err != nil {
			t.Fatal(err)
		}
		if sent.Messages == 0 || got.Messages != sent.Messages || got.Bytes != 76*sent.Messages || got.Fault != "" || sent.Elapsed < time.Millisecond {
			t.Errorf("%d in flight: sent %d in %s, got %d messages, %d bytes, %q", inFlight, sent.Messages, sent.Elapsed, got.Messages, got.Bytes, got.Fault)
		}
		if want := (got.Messages + SampleEvery - 1) / SampleEvery; got.Latency.Count() != want {
			t.Errorf("%d in flight: %d samples of %d messages, want %d", inFlight, got.Latency.Count(), got.Messages, want)
		}
	}
}

// Each mistake of a contender fails its trial.
func TestFaults(t *testing.T) {
	var held *app.StatusUpdate
	for name, change := range map[string]func(int, *app.StatusUpdate) []*app.StatusUpdate{
		"a message is lost": func(n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if n == 40 {
				return nil
			}
			return asItIs(n, m)
		},
		"a message comes twice": func(n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if n == 40 {
				return []*app.StatusUpdate{m, m}
			}
			return asItIs(n, m)
		},
		"messages change places": func(n int, m *app.StatusUpdate) []*app.StatusUpdate {
			switch n {
			case SampleEvery:
				held = m
				return nil
			case SampleEvery + 1:
				return []*app.StatusUpdate{m, held}
			}
			return asItIs(n, m)
		},
		"a message is cut": func(n int, m *app.StatusUpdate) []*app.StatusUpdate {
			if n == 40 {
				return []*app.StatusUpdate{{State: m.GetState(), Result: &app.TaskResult{Records: []byte("12345678")}}}
			}
			return asItIs(n, m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, sink, err := tell(t, spec(LocalTell, 76, 200), change)
			if err != nil {
				return
			}
			if got, err := sink.counts.measured(); err == nil && got.Fault == "" {
				t.Error("no fault is reported")
			}
		})
	}
}

func TestAskTakesOnlyItsAnswers(t *testing.T) {
	s := spec(LocalAsk, 76, 2)
	a, err := NewAsk(&s)
	if err != nil {
		t.Fatal(err)
	}
	first, at := a.Next()
	if second, _ := a.Next(); first == nil || second == nil {
		t.Fatal("two may be under way")
	}
	if third, _ := a.Next(); third != nil {
		t.Fatal("three are under way")
	}
	if _, err := a.Answered(at, acknowledgement("0", 1)); err == nil {
		t.Error("an acknowledgement is no answer")
	}
	b, err := NewAsk(&s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Answered(0, first); err == nil {
		t.Error("an answer to nothing")
	}
}
