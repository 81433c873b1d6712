package trace

import (
	"errors"
	"strings"
	"testing"
)

func TestCausesOfUnknown(t *testing.T) {
	tr := &Trace{Entries: []Entry{
		{K: KindMsg, ID: "12345678.>.1", Cause: "lost.7"},
		{K: KindMsg, ID: "12345678.>.12"},
		{K: KindConn, ID: "12345678"},
		{K: KindItem, ID: "W.1", Cause: "W.2"},
		{K: KindItem, ID: "W.2", Cause: "W.1"},
	}}
	for id, want := range map[string]string{
		"12345678.>.13": "there are 12345678.>.1 to 12345678.>.12",
		"12345687.>.1":  "did you mean 12345678.>.1?",
		"12345678":      "quote an ID",
		"12345678.":     "quote an ID",
		"nonsense.99":   "trace show lists them",
		"":              "trace show lists them",
	} {
		_, err := tr.CausesOf(id)
		var unknown *UnknownIDError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", id, err, want)
		}
	}
	for id, missing := range map[string]string{"12345678.>.1": "lost.7", "W.1": "W.1", "12345678.>.12": ""} {
		if c, err := tr.CausesOf(id); err != nil || c.Missing != missing || c.Entries[len(c.Entries)-1].ID != id {
			t.Errorf("%s: %+v, %v", id, c, err)
		}
	}
	if _, err := (&Trace{}).CausesOf("x"); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Error(err)
	}
}
