package rdd

import (
	"bufio"
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
)

// words are the runs of bytes of a line that are no ASCII white space.
func words(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case ' ', '\t', '\n', '\v', '\f', '\r':
				if start >= 0 && !yield(line[start:i]) {
					return
				}
				start = -1
			default:
				if start < 0 {
					start = i
				}
			}
		}
		if start >= 0 {
			yield(line[start:])
		}
	}
}

type countArgs struct {
	Path             string
	Splits, Reducers int
}

var wordCount = Define("wordCount", func(a countArgs) Dataset[Pair[string, int64]] {
	lines := TextFile(a.Path, a.Splits)
	ones := Map(FlatMap(lines, words), func(w string) Pair[string, int64] { return PairOf(w, int64(1)) })
	return ReduceByKey(ones, func(a, b int64) int64 { return a + b }, a.Reducers)
})

// prose is a text of lines of about 80 bytes whose words are as unevenly frequent as those of a language.
func prose(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 2, 50_000)
	var b bytes.Buffer
	for line := 0; b.Len() < size; {
		w := zipf.Uint64()
		n, _ := fmt.Fprintf(&b, "%x", w*2654435761%(1<<(4*(2+w%7))))
		if line += n + 1; line > 80 {
			b.WriteByte('\n')
			line = 0
		} else {
			b.WriteByte(' ')
		}
	}
	return b.Bytes()[:size]
}

// song is a text of lines of about 80 bytes that has few different words.
func song(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for line := 0; b.Len() < size; {
		n, _ := fmt.Fprintf(&b, "w%d", r.IntN(100)*997)
		if line += n + 1; line > 80 {
			b.WriteByte('\n')
			line = 0
		} else {
			b.WriteByte(' ')
		}
	}
	return b.Bytes()[:size]
}

// plainly counts words as a Go program without Coherer would: the rival of the benchmark.
func plainly(text []byte) (map[string]int64, error) {
	counts := map[string]int64{}
	in := bufio.NewScanner(bytes.NewReader(text))
	for in.Scan() {
		for w := range words(in.Text()) {
			counts[w]++
		}
	}
	return counts, in.Err()
}

func BenchmarkWordCountMapSide(b *testing.B) {
	for _, t := range []struct {
		name string
		text []byte
	}{{"many", prose(4 << 20)}, {"few", song(4 << 20)}} {
		b.Run("words="+t.name+"/by=plain", func(b *testing.B) {
			b.SetBytes(int64(len(t.text)))
			b.ReportAllocs()
			for b.Loop() {
				if counts, err := plainly(t.text); err != nil || len(counts) < 100 {
					b.Fatal(err, len(counts))
				}
			}
		})
		b.Run("words="+t.name+"/by=coherer", func(b *testing.B) { wordCountMapSide(b, t.text) })
	}
}

func wordCountMapSide(b *testing.B, text []byte) {
	fs := MemFS{"text": text}
	job, err := wordCount.With(countArgs{"text", 1, 2}).Invocation()
	if err != nil {
		b.Fatal(err)
	}
	s := job.Lineage.Shuffles()[0]
	splits, err := job.Lineage.Splits(fs, s.MapNode)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		blocks, err := runMap(job.Lineage, Task{Node: s.MapNode, Split: splits[0], FS: fs}, 0)
		if err != nil || len(blocks[0]) == 0 {
			b.Fatal(err, len(blocks[0]))
		}
	}
}

func BenchmarkLines(b *testing.B) {
	line := append(bytes.Repeat([]byte("x"), 79), '\n')
	text := bytes.Repeat(line, maxSplit/len(line))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r := newLineReader(bytes.NewReader(text), textSplit{end: int64(len(text)), size: int64(len(text))}, func(int) {})
		n := 0
		for {
			_, ok, err := r.next()
			if err != nil {
				b.Fatal(err)
			}
			if !ok {
				break
			}
			n++
		}
		if n != len(text)/80 {
			b.Fatal(n)
		}
	}
}

type reading struct {
	Station string
	Value   float64
	Count   int32
}

func BenchmarkCodec(b *testing.B) {
	b.Run("record=pair", func(b *testing.B) { benchCodec(b, PairOf("sparkling", int64(1234))) })
	b.Run("record=struct", func(b *testing.B) { benchCodec(b, reading{"sparkling", 12.5, 3}) })
}

func benchCodec[T comparable](b *testing.B, v T) {
	c, err := codecOf[T]()
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = c.append(buf[:0], v)
		got, rest, err := c.decode(buf)
		if err != nil || len(rest) > 0 || got != v {
			b.Fatal(got, rest, err)
		}
	}
}
