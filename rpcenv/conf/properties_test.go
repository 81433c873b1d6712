package conf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestParseProperties(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       map[string]string
	}{
		{"empty", "", map[string]string{}},
		{"white space", "spark.a   1\nspark.b\t2\n", map[string]string{"spark.a": "1", "spark.b": "2"}},
		{"equals and colon", "a=1\nb: 2\nc = 3\nd :4\n", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}},
		{"only the first separator", "a==1\nb = :2\nc 1 = 2\nd=e f:g", map[string]string{"a": "=1", "b": ":2", "c": "1 = 2", "d": "e f:g"}},
		{"comments", "# a 1\n  ! b 2\nc 3 # no comment\n#d \\\ne 4", map[string]string{"c": "3 # no comment", "e": "4"}},
		{"line ends", "a 1\rb 2\r\nc 3\n\n\r\nd 4", map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}},
		{"continued", "a 1,\\\n   2,\\\r\n\t3\nb 4", map[string]string{"a": "1,2,3", "b": "4"}},
		{"comment sign in a continued line", "a 1\\\n#2", map[string]string{"a": "1#2"}},
		{"even backslashes do not continue", "a 1\\\\\nb 2", map[string]string{"a": `1\`, "b": "2"}},
		{"continued by the end", "a 1\\", map[string]string{"a": "1"}},
		{"continued by a blank line", "a 1\\\n\nb 2", map[string]string{"a": "1", "b": "2"}},
		{"escapes", `a\ b\=c\:d x\ty\nz\q\\` + "\n" + `é ü`, map[string]string{"a b=c:d": "x\ty\nzq\\", "é": "ü"}},
		{"surrogates", `a \ud83d\ude00`, map[string]string{"a": "😀"}},
		{"no value", "a\nb=\nc   ", map[string]string{"a": "", "b": "", "c": ""}},
		{"values are trimmed but for line ends", "a 1  \t\nb \\t2\\n\nc \\r3\\r ", map[string]string{"a": "1", "b": "2\n", "c": "\r3\r"}},
		{"last one holds", "a 1\na 2", map[string]string{"a": "2"}},
		{"leading blanks and a byte order mark", "\ufeff  a 1", map[string]string{"a": "1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseProperties(strings.NewReader(test.text))
			if err != nil || !maps.Equal(got, test.want) {
				t.Errorf("%q: %q, %v", test.text, got, err)
			}
		})
	}
}

func TestParsePropertiesErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"no key", "a 1\n= 2", "line 2: no key"},
		{"bad escape", "# x\n\na \\\n  \\u00g1", `line 3: a: \u wants four hexadecimal digits`},
		{"short escape", `a \u12`, `line 1: a: \u wants`},
		{"bad escape in a key", `a\u00g1 1`, `line 1: \u wants four hexadecimal digits, as in \u00e9`},
		{"half a pair", `a \ud83dx`, `line 1: a: \ud83d is half a surrogate pair: want both halves, as in \ud83d\ude00`},
		{"half a pair at the end", `a \ud83d`, `line 1: a: \ud83d is half a surrogate pair`},
		{"half a pair without its backslash", `a \ud83dxude00`, `line 1: a: \ud83d is half a surrogate pair`},
		{"half a pair without its u", `a \ud83d\xde00`, `line 1: a: \ud83d is half a surrogate pair`},
		{"half a pair and no number", `a \ud83d\ude0g`, `line 1: a: \ud83d is half a surrogate pair`},
		{"half a pair and another character", `a \ud83d\u0041`, `line 1: a: \ud83d is half a surrogate pair`},
		{"not UTF-8", "a \xff", "line 1: not UTF-8"},
		{"two problems", "=\n=\n", "line 1: no key: want KEY VALUE or KEY=VALUE\nline 2: no key"},
		{"too long", strings.Repeat("#\n", MaxProperties/2) + "\n", "longer than 1048576 bytes"},
	} {
		if got, err := ParseProperties(strings.NewReader(test.text)); err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if got, err := ParseProperties(strings.NewReader(strings.Repeat("#\n", MaxProperties/2-2) + "a 1\n")); err != nil || got["a"] != "1" {
		t.Errorf("the longest file: %v, %v", got, err)
	}
	_, err := ParseProperties(strings.NewReader(strings.Repeat("=\n", 1000)))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxProblems {
		t.Errorf("%d problems are reported", n)
	}
	broken := errors.New("disk on fire")
	if _, err := ParseProperties(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a read error becomes %v", err)
	}
}

func TestParsePair(t *testing.T) {
	for _, test := range []struct{ text, key, value string }{
		{"spark.a=1", "spark.a", "1"},
		{"spark.a=", "spark.a", ""},
		{"spark.a=b=c", "spark.a", "b=c"},
		{" spark.a = 1 ", "spark.a", "1"},
	} {
		if k, v, err := ParsePair(test.text); err != nil || k != test.key || v != test.value {
			t.Errorf("%q: %q %q %v", test.text, k, v, err)
		}
	}
	for _, text := range []string{"", "spark.a", "=1", " =1"} {
		if _, _, err := ParsePair(text); err == nil || !strings.Contains(err.Error(), "want KEY=VALUE") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	key := rapid.StringN(1, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(key, rapid.Map(rapid.String(), trimValue)).Draw(t, "pairs")
		var file strings.Builder
		for _, k := range slices.Sorted(maps.Keys(want)) {
			file.WriteString(escape(k) + rapid.SampledFrom([]string{"=", " ", ":", " = ", "\t"}).Draw(t, "separator") + escape(want[k]) + "\n")
		}
		got, err := ParseProperties(strings.NewReader(file.String()))
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("%q: %q, %v", file.String(), got, err)
		}
	})
}

// escape writes every character as \uXXXX that means something to the parser, a byte order mark among them.
func escape(s string) string {
	var out strings.Builder
	for _, r := range s {
		if r <= ' ' || strings.ContainsRune("\\=:#!\ufeff", r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func FuzzParseProperties(f *testing.F) {
	for _, seed := range []string{"", "a 1", "a=1\\\n 2", "# c\n!d\r\n", `\u0041 \ud83d\ude00`, "a\\", "=", "\\\n\\\n", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseProperties(strings.NewReader(text))
		if (got == nil) == (err == nil) {
			t.Fatalf("%q: both or neither of %v and %v", text, got, err)
		}
		for k := range got {
			if k == "" {
				t.Errorf("%q gives an empty key", text)
			}
		}
	})
}

func FuzzParsePair(f *testing.F) {
	f.Add("spark.a=1")
	f.Add("=")
	f.Fuzz(func(t *testing.T, s string) {
		k, v, err := ParsePair(s)
		if err != nil {
			return
		}
		if k2, v2, err := ParsePair(k + "=" + v); err != nil || k2 != k || v2 != v {
			t.Errorf("%q: %q %q, again %q %q %v", s, k, v, k2, v2, err)
		}
	})
}
