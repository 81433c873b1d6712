package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// countIndependently counts in the plainest way, byte by byte.
func countIndependently(text []byte, n int) []Count {
	counts := map[string]int64{}
	var word []byte
	end := func() {
		if len(word) > 0 {
			counts[string(word)]++
		}
		word = nil
	}
	for _, b := range text {
		if b == ' ' || '\t' <= b && b <= '\r' {
			end()
		} else {
			word = append(word, b)
		}
	}
	end()
	var all []Count
	for w, c := range counts {
		all = append(all, Count{Key: w, Value: c})
	}
	slices.SortFunc(all, func(a, b Count) int {
		if a.Value != b.Value {
			return int(b.Value - a.Value)
		}
		return bytes.Compare([]byte(a.Key), []byte(b.Key))
	})
	return all[:min(n, len(all))]
}

// textGen draws texts of odd bytes, with few different words so that counts and ties occur, and with very long lines.
func textGen() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		piece := rapid.OneOf(
			rapid.SampledFrom([]string{
				" ", "\t", "\n", "\v", "\f", "\r", "\r\n", " \n ", "a", "b", "a b", "\x00", "\xff", "\xc3", "é", "\u00a0", "\u2028",
				"\u0085", `\`, "\x1c", "世",
			}),
			rapid.StringN(0, 8, -1),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
			rapid.Map(rapid.IntRange(0, 5000), func(n int) string { return strings.Repeat("long ", n) }),
		)
		return []byte(strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), ""))
	})
}

func TestMostFrequentIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := textGen().Draw(t, "text")
		a := Args{Path: "text", Splits: rapid.IntRange(1, 5).Draw(t, "splits"), N: rapid.IntRange(1, 12).Draw(t, "n")}
		got, err := MostFrequent(context.Background(), rdd.Local(rdd.MemFS{"text": text}), a)
		if want := countIndependently(text, a.N); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q:\ngot  %+v\nwant %+v (error %v)", text, got, want, err)
		}
	})
}

func FuzzMostFrequent(f *testing.F) {
	f.Add([]byte("a b\r\na\v\fb\xff\xff \x00"), 2)
	f.Add([]byte("\u00a0 \u2003\u00a0"), 1)
	f.Fuzz(func(t *testing.T, text []byte, splits int) {
		a := Args{Path: "text", Splits: 1 + splits&7, N: 10}
		got, err := MostFrequent(t.Context(), rdd.Local(rdd.MemFS{"text": text}), a)
		if want := countIndependently(text, a.N); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q:\ngot  %+v\nwant %+v (error %v)", text, got, want, err)
		}
	})
}

func TestOneVeryLongLine(t *testing.T) {
	text := bytes.Repeat([]byte("to be or not to be "), 64<<20/19)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := MostFrequent(t.Context(), rdd.Local(rdd.MemFS{"text": text}), Args{Path: "text", Splits: 2, N: 2})
	runtime.ReadMemStats(&after)
	n := int64(64 << 20 / 19)
	if want := []Count{{Key: "be", Value: 2 * n}, {Key: "to", Value: 2 * n}}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v (error %v)", got, want, err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > uint64(len(text))+8<<20 {
		t.Errorf("a line of %d bytes cost %d", len(text), cost)
	}
}

func TestNoWordsWanted(t *testing.T) {
	for _, n := range []int{0, -1} {
		got, err := MostFrequent(t.Context(), rdd.Local(rdd.MemFS{"text": []byte("a")}), Args{Path: "text", Splits: 1, N: n})
		if err != nil || len(got) > 0 {
			t.Errorf("N %d: %v, error %v", n, got, err)
		}
	}
}

func TestPrintable(t *testing.T) {
	for word, want := range map[string]string{
		"":             "",
		"word":         "word",
		"é世😀":          "é世😀",
		`a\xff`:        `a\xff`,
		"a\xffb":       `a\xffb`,
		"\xe4\xb8":     `\xe4\xb8`,
		"\x00\x1b[2J":  `\x00\x1b[2J`,
		"\x7f":         `\x7f`,
		"\u00a0":       `\xc2\xa0`,
		"\u202e":       `\xe2\x80\xae`,
		"\ufffd":       "\ufffd",
		"\xed\xa0\x80": `\xed\xa0\x80`,
	} {
		if got := Printable(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// write makes a file of its contents.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRun(t *testing.T) {
	path := write(t, "b a\xff c\nb a\xff d\re")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{path}, "2\ta\\xff\n2\tb\n1\tc\n1\td\n1\te\n"},
		{[]string{path, "3"}, "2\ta\\xff\n2\tb\n1\tc\n"},
		{[]string{write(t, "")}, ""},
		{[]string{write(t, "1 2 3 4 5 6 7 8 9 a b")}, "1\t1\n1\t2\n1\t3\n1\t4\n1\t5\n1\t6\n1\t7\n1\t8\n1\t9\n1\ta\n"},
	} {
		var out strings.Builder
		if err := Run(t.Context(), rdd.Local(app.Files{}), tc.args, &out); err != nil || out.String() != tc.want {
			t.Errorf("%q: got\n%swant\n%s(error %v)", tc.args, &out, tc.want, err)
		}
	}
}

func TestRunFindsARelativePath(t *testing.T) {
	t.Chdir(filepath.Dir(write(t, "word")))
	var out strings.Builder
	if err := Run(t.Context(), rdd.Local(app.Files{}), []string{"text"}, &out); err != nil || out.String() != "1\tword\n" {
		t.Errorf("got %q, error %v", &out, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
		is   error
	}{
		"no file":    {nil, "FILE [N]", nil},
		"too many":   {[]string{"a", "1", "2"}, "FILE [N]", nil},
		"N no digit": {[]string{write(t, ""), "x"}, `N is "x"`, nil},
		"N 0":        {[]string{write(t, ""), "0"}, `N is "0"`, nil},
		"missing":    {[]string{"/nowhere/text"}, "/nowhere/text", fs.ErrNotExist},
		"relative":   {[]string{"nowhere"}, "nowhere: no such file or directory: name the file by its whole path", fs.ErrNotExist},
		"a folder":   {[]string{t.TempDir()}, "no regular file", nil},
		"a device":   {[]string{os.DevNull}, "no regular file", nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := Run(t.Context(), noRunner{t}, tc.args, t.Output())
			if err == nil || !strings.Contains(err.Error(), tc.want) || tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// noRunner fails a test in which it is used: wrong arguments must not start a job.
type noRunner struct{ t *testing.T }

func (r noRunner) RunJob(context.Context, rdd.Invocation, rdd.Action) ([]rdd.Result, error) {
	r.t.Error("a job was run")
	return nil, nil
}

func (r noRunner) Partitions(context.Context, rdd.Invocation) (int, error) {
	r.t.Error("a job was looked at")
	return 0, nil
}

func ExampleMostFrequent() {
	files := rdd.MemFS{"song": []byte("row row row\nyour boat\nrow your boat\n")}
	counts, err := MostFrequent(context.Background(), rdd.Local(files), Args{Path: "song", Splits: 2, N: 2})
	fmt.Println(counts, err)
	// Output: [{row 4} {boat 2}] <nil>
}

func BenchmarkMostFrequent(b *testing.B) {
	text := bytes.Repeat([]byte("to be or not to be, that is the question:\n"), 100_000)
	r := rdd.Local(rdd.MemFS{"text": text})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		got, err := MostFrequent(b.Context(), r, Args{Path: "text", Splits: 2, N: 1})
		if err != nil || got[0] != (Count{Key: "to", Value: 200_000}) {
			b.Fatal(got, err)
		}
	}
}
