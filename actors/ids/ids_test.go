package ids

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for id, want := range map[string]bool{
		"app-20261128120000-0000": true, "a": true, "-": true, "a.b_c": true, strings.Repeat("a", Max): true,
		"": false, ".": false, "..": false, ".a": false, "a/b": false, `a\b`: false, "a\x00": false, "é": false, "a b": false,
		strings.Repeat("a", Max+1): false,
	} {
		if got, err := Plain(id), Check("driver", id); got != want || (err == nil) != want {
			t.Errorf("%q: %v, %v; want %v", id, got, err, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"a", "", "..", "a/b", "a\x00", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if Plain(id) && (strings.ContainsAny(id, "/\\\x00 \n") || id[0] == '.' || len(id) > Max) {
			t.Errorf("accepted %q", id)
		}
	})
}
