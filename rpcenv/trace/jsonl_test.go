package trace

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

const (
	header = `{"format":"coherer-trace/1","source":"sim","compat":"fixed","seed":7,"start":"2026-01-01T00:00:00Z"}` + "\n"
	beat   = `{"k":"msg","id":"a.>.1","from":"W/W","to":"M/M","type":"Heartbeat","kind":"send","bytes":3,"sent":5}` + "\n"
)

func TestReadJSONLNamesTheLine(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"empty":           {"", "it is empty"},
		"another version": {strings.Replace(header, "trace/1", "trace/2", 1), `line 1: the format is "coherer-trace/2", this program reads "coherer-trace/1"`},
		"no header":       {beat, `line 1: the format is ""`},
		"no JSON":         {header + beat + "k=msg\n" + beat, "line 3: "},
		"cut within":      {header + beat[:20] + "\n" + beat, "line 2: "},
		"no entry":        {header + beat + "\n{}\n", "line 4: it has no k"},
		"a list":          {header + "[1]\n", "line 2: "},
		"wrong type":      {header + beat + strings.Replace(beat, `"bytes":3`, `"bytes":"3"`, 1), "line 3: "},
		"torn header":     {header[:30], "line 1: "},
		"a long line":     {header + strings.Repeat(" ", maxLine) + "\n", "line 2 is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadJSONL(strings.NewReader(tt.text))
			if got != nil || !errors.Is(err, ErrJSONL) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v; want ErrJSONL with %q", got, err, tt.want)
			}
		})
	}
}

// Wherever the writer was stopped, what was whole before is read.
func TestReadJSONLTorn(t *testing.T) {
	text := header + beat + beat
	for end := len(header); end <= len(text); end++ {
		got, err := ReadJSONL(strings.NewReader(text[:end]))
		entries := (end - len(header) + 1) / len(beat) // a last line that lacks its end only is whole
		torn := (end-len(header))%len(beat) != 0 && (end-len(header)+1)%len(beat) != 0
		if got == nil || len(got.Entries) != entries || torn != errors.Is(err, record.ErrTorn) || !torn && err != nil {
			t.Fatalf("%d bytes: %+v, %v; want %d entries", end, got, err, entries)
		}
		if torn && !strings.Contains(err.Error(), "line "+string(rune('2'+entries))+" has no end") {
			t.Errorf("%d bytes: %v", end, err)
		}
	}
}

func TestJSONLHeader(t *testing.T) {
	want := Trace{Source: "run", Compat: "fixed", Program: "word\ncount", Version: "v1", Start: time.Date(2026, 1, 1, 0, 0, 0, 1, time.UTC)}
	got, err := ReadJSONL(strings.NewReader(jsonl(t, &want)))
	if err != nil || got.Program != want.Program || got.Version != want.Version || !got.Start.Equal(want.Start) || got.Source != want.Source {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func FuzzReadJSONL(f *testing.F) {
	f.Add(header)
	f.Add(header + beat + beat[:10])
	f.Add(header + `{"k":"item","id":"W.1","at":"W","name":"OnStart","start":1,"end":2,"body":{"a":[1,{"b":"c"}]},"x":1}` + "\r\n\n")
	f.Add(header + `{"k":"msg","recv":-1,"body":"no object","cut":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := ReadJSONL(strings.NewReader(text))
		if err != nil && !errors.Is(err, ErrJSONL) && !errors.Is(err, record.ErrTorn) {
			t.Fatalf("an unexpected kind of error: %v", err)
		}
		if (tr == nil) != (err != nil && !errors.Is(err, record.ErrTorn)) {
			t.Fatalf("trace %v with error %v", tr, err)
		}
		if tr == nil {
			return
		}
		once := jsonl(t, tr)
		again, err := ReadJSONL(strings.NewReader(once))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice := jsonl(t, again); twice != once {
			t.Fatalf("written again it differs:\n%s\n%s", once, twice)
		}
	})
}
