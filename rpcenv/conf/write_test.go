package conf

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFormatPropertiesIsReadAsItWas(t *testing.T) {
	pairs := []Pair{
		{"spark.a", "1"}, {"spark.b", ""}, {"a=b: c#!\\", `x\y "é" = : #`}, {"#k", "\tline\nline\r\f\x01"}, {"k\tl", "\\n"}, {"z", "no end\\"},
	}
	got, err := ParseProperties(strings.NewReader(FormatProperties(pairs)))
	if err != nil || len(got) != len(pairs) {
		t.Fatal(err, got)
	}
	for _, p := range pairs {
		if want := trimValue(p.Value); got[p.Key] != want {
			t.Errorf("%q: %q, want %q", p.Key, got[p.Key], want)
		}
	}
}

// Only what would mean something else is escaped: files stay easy to read.
func TestFormatPropertiesEscapesWhatItMust(t *testing.T) {
	pairs := []Pair{{"spark.a", "b c = d: # !"}, {" k=l:m#n!o\\\t", "  x\fy\rz\n\t\\\x1f\u007fé"}, {"last", ""}}
	const want = `spark.a=b c = d: # !
\ k\=l\:m\#n\!o\\\t=\  x\fy\rz\n\t\\\u001f` + "\u007fé\nlast=\n"
	if got := FormatProperties(pairs); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzFormatProperties(f *testing.F) {
	f.Add("key", "value")
	f.Add("a b", "\\u0041\n")
	f.Fuzz(func(t *testing.T, key, value string) {
		if key == "" || !utf8.ValidString(key) || !utf8.ValidString(value) {
			return
		}
		got, err := ParseProperties(strings.NewReader(FormatProperties([]Pair{{key, value}})))
		if err != nil || len(got) != 1 || got[key] != trimValue(value) {
			t.Errorf("%q = %q became %q, %v", key, value, got, err)
		}
	})
}
