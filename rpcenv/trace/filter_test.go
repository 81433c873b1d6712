package trace

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

func TestParseFilter(t *testing.T) {
	for text, want := range map[string]Filter{
		"Worker->Master:Heartbeat":             {"Worker", "Master", "Heartbeat"},
		"*->*:*":                               {"*", "*", "*"},
		"Worker1/Worker->Master/Master:Re*":    {"Worker1/Worker", "Master/Master", "Re*"},
		"Worker1->127.0.0.1:7077/Master:*":     {"Worker1", "127.0.0.1:7077/Master", "*"},
		"Exec2.0->Driver#2/*:StatusUpdate":     {"Exec2.0", "Driver#2/*", "StatusUpdate"},
		"Driver->Exec0/endpoint-verifier:Some": {"Driver", "Exec0/endpoint-verifier", "Some"},
	} {
		got, err := ParseFilter(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
}

func TestParseFilterNamesTheColumn(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "column 1: want FROM->TO:MESSAGE",
		"Heartbeat":        "column 10: want FROM->TO:MESSAGE",
		"W->M":             "column 5: want :MESSAGE",
		"W=>M:H":           "column 2: want ->",
		"W->M->D:H":        "column 5: a filter has one ->",
		"->M:H":            "column 1: FROM: want a peer",
		"W->:H":            "column 4: TO: want a peer",
		"W->M:":            "column 6: want a MESSAGE",
		"/E->M:H":          "column 1: FROM: want a peer",
		"W/->M:H":          "column 3: FROM: want an endpoint",
		"W->M/:H":          "column 6: TO: want an endpoint",
		"W->M/a/b:H":       "column 7: TO: want PEER/ENDPOINT",
		"W->h:1/E":         "column 7: a MESSAGE has no /",
		"W -> M:H":         "column 2: a filter has no blanks",
		"Wörker->Mäster: ": "column 16: a filter has no blanks",
		"Wörker->M/ä/b:H":  "column 12: TO: want PEER/ENDPOINT",
	} {
		_, err := ParseFilter(text)
		var wrong *FilterError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{"Worker->Master:Heartbeat", "*->*:*", "a/b->c:1/d:e", "->", "W->M", "é->é/é/é:é", "a->b:c\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseFilter(s)
		if err != nil {
			var wrong *FilterError
			if !errors.As(err, &wrong) || wrong.Column < 1 || wrong.Column > utf8.RuneCountInString(s)+1 || wrong.Problem == "" {
				t.Fatalf("%q: %#v", s, err)
			}
			return
		}
		if got.String() != s {
			t.Fatalf("%q is written as %q", s, got)
		}
		if !strings.Contains(s, "*") && !got.MatchNames(got.From, got.To, got.Message) {
			t.Fatalf("%q does not mean what it names", s)
		}
	})
}

func TestFilterMatch(t *testing.T) {
	beat := Entry{K: KindMsg, Form: FormSend, From: "Worker1/Worker", To: "Master/Master", Type: "Heartbeat", Message: "deploy.Heartbeat"}
	ask := Entry{K: KindMsg, Form: FormAsk, From: "Fetcher0/x", To: "Driver/S", Type: "RetrieveSparkAppConfig", Message: "app.RetrieveSparkAppConfig"}
	reply := Entry{K: KindMsg, Form: FormReply, From: "Driver/S", To: "Fetcher0/x", Type: "RetrieveSparkAppConfig", Message: "app.SparkAppConfig"}
	drop := Entry{K: KindDrop, Form: FormSend, From: "Master/Master", To: "Driver", Type: "ApplicationRemoved"}
	state := Entry{K: KindState, At: "Master/Master", Name: "worker"}
	all := []Entry{beat, ask, reply, drop, state}
	for text, want := range map[string][]int{
		"*->*:*":                                        {0, 1, 2, 3},
		"Worker->Master:Heartbeat":                      {0},
		"Worker1->*:*":                                  {0},
		"Worker2->*:*":                                  nil,
		"Work*->M*r:*beat":                              {0},
		"Worker/Worker->Master/Master:*":                {0},
		"Worker/Other->*:*":                             nil,
		"*/W*->*:*":                                     {0},
		"Fetcher->Driver:*":                             {1, 2}, // the answer goes with its question
		"Driver->Fetcher:*":                             nil,
		"Driver->Fetcher:SparkAppConfig":                {2},
		"Fetcher->Driver:SparkAppConfig":                nil,
		"*->*:*Config":                                  {1, 2},
		"Master->Driver:ApplicationRemoved":             {3},
		"Master->Driver/AppClient:*":                    nil, // nobody knows to which endpoint it went
		"Master->Driver/*:*":                            {3},
		"Fetcher0/x->Driver/S:RetrieveSparkAppConfig":   {1, 2},
		"Fetcher0/x->Driver/S:RetrieveSparkAppConfig*a": nil,
	} {
		f, err := ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := range all {
			if f.Match(&all[i]) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s means %v, want %v", text, got, want)
		}
	}
}

func TestSelection(t *testing.T) {
	tr := Merge(tracetest.SparkRun(t, 1, 3)...)
	s, err := ParseSelection([]string{"Worker->Master:*", "Master->Worker:*"}, []string{"*->*:CheckExistence", "Worker1->Master:Heartbeat"})
	if err != nil {
		t.Fatal(err)
	}
	if err := VocabularyOf(tr).Check(s); err != nil {
		t.Fatal(err)
	}
	got := s.Of(tr)
	types := map[string]int{}
	for i := range got.Entries {
		types[got.Entries[i].K+" "+got.Entries[i].Type]++
	}
	if types["msg RegisterWorker"] != 1 || types["msg ExecutorStateChanged"] != 8 || types["msg Heartbeat"]+types["msg CheckExistence"]+types["state "] != 0 {
		t.Errorf("selected %v", types)
	}
	if types["item "] != 2 { // the two executors that exited; not the ticks of the heartbeats
		t.Errorf("%d items, want those that caused what is selected", types["item "])
	}
	if all := (Selection{}).Of(tr); all != tr || (Selection{}).Of(tr).Messages() != tr.Messages() {
		t.Error("the zero value leaves something out")
	}
	window := Selection{After: 2e6, Before: 4e6}.Of(tr)
	for i := range window.Entries {
		if e := &window.Entries[i]; e.K != KindItem && (e.Sent < 2e6 || e.Sent > 4e6) {
			t.Errorf("%s at %d", e.Type, e.Sent)
		}
	}
	if window.Messages() == 0 || window.Messages() == tr.Messages() {
		t.Errorf("%d messages in the window", window.Messages())
	}
}

func TestVocabularyNamesWhatWasMeant(t *testing.T) {
	v := VocabularyOf(Merge(tracetest.SparkRun(t, 1, 1)...))
	for text, want := range map[string]string{
		"Worker->Master:Heartbeet":         "column 16: there is no message Heartbeet in this trace nor in the protocol: did you mean Heartbeat?",
		"Worker->Mastr:*":                  "column 9: there is no peer Mastr in this trace: did you mean Master?",
		"Worker9->*:*":                     "did you mean Worker?",
		"RM->*:*":                          "there is no peer RM in this trace: there are Driver, Exec, Exec0, Exec1, Fetcher, Fetcher0, Fetcher1, Master, Worker, Worker1",
		"Wrker->*:*":                       "column 1: there is no peer Wrker in this trace: did you mean Worker?",
		"Driver/DAGSchedular->Master:*":    "column 8: there is no endpoint DAGSchedular",
		"*->*/Mater:*":                     "column 6: there is no endpoint Mater in this trace nor in the protocol: did you mean Master?",
		"*->*:Xyz*":                        "column 6: there is no message Xyz*",
		"*->*:heartbeat":                   "did you mean Heartbeat?",
		"*->*:BlockManager":                "there are BlockManager",
		"Worker/Worker->Master:Nothing":    "column 23: there is no message Nothing",
		"Exec2->Driver:RegisterExecutor":   "did you mean Exec?",
		"*->*:ApplicationStart/x":          "a MESSAGE has no /",
		"Worker->Master:RegisterWorkerTwo": "did you mean RegisterWorker?",
	} {
		s, err := ParseSelection(nil, []string{text})
		if err == nil {
			err = v.Check(s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	// What the protocol has may be asked for though this trace has none of it.
	s, err := ParseSelection([]string{"*->Worker:ReconnectWorker", "Worker->Master:Heartbeat", "Exec*->Driver/BlockManager*:*"}, nil)
	if err := errors.Join(err, v.Check(s)); err != nil {
		t.Error(err)
	}
}

func TestNamesOfRolesAreNotCutForNumbers(t *testing.T) {
	const want = "there are AM, Exec, NM, RM"
	if got := nearNames("Worker", []string{"AM", "Exec", "Exec1", "Exec2", "Exec3", "Exec4", "NM", "NM1", "NM2", "NM3", "NM4", "NM5", "RM"}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
