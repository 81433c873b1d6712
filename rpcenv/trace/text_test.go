package trace

import (
	"strings"
	"testing"
)

func TestTextTellsAnAskThatWasKeptFromOneThatFailed(t *testing.T) {
	for outcome, want := range map[string]string{"": "Job", OutcomeDeferred: "Job (to be answered later)", "boom": "Job (handling failed: boom)"} {
		e := Entry{K: KindMsg, Form: FormAsk, From: "a/b", To: "c/d", Type: "Job", Outcome: outcome}
		if got := e.Text(); !strings.HasSuffix(got, " "+want) {
			t.Errorf("outcome %q: %q, want it to end with %q", outcome, got, want)
		}
	}
}
