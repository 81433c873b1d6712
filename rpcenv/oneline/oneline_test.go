package oneline_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv/oneline"
)

func TestTextShowsWhatSteers(t *testing.T) {
	for s, want := range map[string]string{
		"":                        "",
		"pi":                      "pi",
		"x\ny":                    `x\ny`,
		"a\tb\r":                  `a\tb\r`,
		`C:\temp\new`:             `C:\temp\new`,
		"\x1b[31mred\x1b[0m":      `\x1b[31mred\x1b[0m`,
		"\x9b31m":                 `\x9b31m`,
		"\u009b31m":               `\u009b31m`,
		"bad \xff byte":           `bad \xff byte`,
		"\ufffd stays":            "\ufffd stays",
		"gnp.\u202eexe":           `gnp.\u202eexe`,
		"a\u2028b\u2029c":         `a\u2028b\u2029c`,
		"Ärger mit \"Anführung\"": "Ärger mit \"Anführung\"",
		"no\u00a0break, 漢字, é":    "no\u00a0break, 漢字, é",
		"\x00\x7f":                `\x00\x7f`,
	} {
		if got := oneline.Text(s); got != want {
			t.Errorf("Text(%q) is %q, want %q", s, got, want)
		}
	}
}

func TestTextIsOneLineThatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		got := oneline.Text(s)
		if strings.ContainsAny(got, "\n\r\t\v\f\x1b\u0085\u2028\u2029") {
			t.Fatalf("Text(%q) is %q", s, got)
		}
		if again := oneline.Text(got); again != got {
			t.Fatalf("Text(%q) is %q, and Text of that %q", s, got, again)
		}
	})
}

func TestLinesKeepTheirEnds(t *testing.T) {
	if got, want := oneline.Lines("a\x1b\n\tb\r\n"), "a\\x1b\n    b\\r\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

type number int

func (number) String() string { return "one\ntwo" }

func TestPrintingCleansArgumentsAlone(t *testing.T) {
	var b strings.Builder
	if _, err := oneline.Fprintf(&b, "%s\t%v\t%s\t%03d\n", "x\ny", errors.New("no\tluck"), number(1), 7); err != nil {
		t.Fatal(err)
	}
	if want := `x\ny` + "\t" + `no\tluck` + "\t" + `one\ntwo` + "\t007\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
