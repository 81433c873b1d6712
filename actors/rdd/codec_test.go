package rdd

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// everything has a field of each kind that can travel.
type everything struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Float64 float64
	Float32 float32
	String  string
	Bytes   []byte
	Slice   []string
	Array   [3]int16
	Empty   struct{}
	None    [0]int
	Map     map[string][]int
	Pair    Pair[string, int64]
	Nested  []struct{ A, B []bool }
}

func everythingGen() *rapid.Generator[everything] {
	return rapid.Custom(func(t *rapid.T) everything {
		e := everything{
			Bool: rapid.Bool().Draw(t, "b"), Int: rapid.Int().Draw(t, "i"), Int8: rapid.Int8().Draw(t, "i8"),
			Int16: rapid.Int16().Draw(t, "i16"), Int32: rapid.Int32().Draw(t, "i32"), Int64: rapid.Int64().Draw(t, "i64"),
			Uint: rapid.Uint().Draw(t, "u"), Uint8: rapid.Uint8().Draw(t, "u8"), Uint16: rapid.Uint16().Draw(t, "u16"),
			Uint32: rapid.Uint32().Draw(t, "u32"), Uint64: rapid.Uint64().Draw(t, "u64"),
			Float64: rapid.Float64().Draw(t, "f64"), Float32: rapid.Float32().Draw(t, "f32"),
			String: rapid.String().Draw(t, "s"), Bytes: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"),
			Slice: rapid.SliceOf(rapid.String()).Draw(t, "slice"),
			Map:   rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.Int())).Draw(t, "map"),
		}
		if rapid.Bool().Draw(t, "nil") {
			e.Bytes, e.Slice, e.Map = nil, nil, nil
		}
		e.Pair = PairOf(e.String, e.Int64)
		e.Nested = []struct{ A, B []bool }{{A: []bool{e.Bool}}, {}}
		return e
	})
}

func mustCodec[T any](t testing.TB) codec[T] {
	t.Helper()
	c, err := codecOf[T]()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCodecGivesBackWhatItTook(t *testing.T) {
	c := mustCodec[everything](t)
	rapid.Check(t, func(t *rapid.T) {
		want := everythingGen().Draw(t, "record")
		b := c.append([]byte("before"), want)
		got, rest, err := c.decode(append(b, "after"...)[len("before"):])
		if err != nil || string(rest) != "after" || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, rest %q, error %v; want %+v", got, rest, err, want)
		}
		if again := c.append([]byte("before"), want); !bytes.Equal(again, b) {
			t.Fatalf("the same value has two encodings:\n%x\n%x", b, again)
		}
		for n := range len(b) - len("before") {
			if _, _, err := c.decode(b[len("before"):][:n]); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut after %d bytes: error %v", n, err)
			}
		}
	})
}

// Types with a codec of their own are encoded as reflection would: a type may meet both.
func TestFastCodecsWriteWhatReflectionWrites(t *testing.T) {
	sameAsReflected(t, "", "a", "\xff\x00", strings.Repeat("x", 300))
	sameAsReflected(t, nil, []byte{}, []byte{1, 2})
	sameAsReflected(t, 0, -1, math.MaxInt, math.MinInt)
	sameAsReflected(t, int32(0), math.MaxInt32, math.MinInt32)
	sameAsReflected(t, int64(0), math.MaxInt64, math.MinInt64)
	sameAsReflected(t, uint32(0), math.MaxUint32)
	sameAsReflected(t, uint64(0), math.MaxUint64)
	sameAsReflected(t, 0.0, -1.5, math.Inf(1), math.Copysign(0, -1))
	sameAsReflected(t, PairOf("key", int64(5)), PairOf("", int64(-5)))
	sameAsReflected(t, PairOf(PairOf(1, "x"), []byte("y")))
	sameAsReflected(t, PairOf(struct{}{}, [0]int{}))
}

func sameAsReflected[T any](t *testing.T, values ...T) {
	t.Helper()
	fast := mustCodec[T](t)
	slow, err := reflected[T]()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		b := fast.append(nil, v)
		if s := slow.append(nil, v); !bytes.Equal(b, s) || len(b) == 0 {
			t.Errorf("%T %v: %x, by reflection %x", v, v, b, s)
		}
		for _, c := range []codec[T]{fast, slow} {
			got, rest, err := c.decode(b)
			if err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
				t.Errorf("%T %v: came back as %v, rest %x, error %v", v, v, got, rest, err)
			}
		}
	}
}

type hidden struct {
	Name  string
	count int
}

type withChannel struct{ Inner struct{ Done chan int } }

type tree struct{ Children []tree }

func TestTypesWithoutCodec(t *testing.T) {
	_ = hidden{count: 1}
	for _, tc := range []struct {
		err  error
		want string // the type and the field
	}{
		{codecErr[chan int](), "chan int"},
		{codecErr[func()](), "func()"},
		{codecErr[*int](), "*int"},
		{codecErr[any](), "interface {}"},
		{codecErr[error](), "error"},
		{codecErr[complex128](), "complex128"},
		{codecErr[hidden](), "rdd.hidden.count: int is a field that is not exported"},
		{codecErr[time.Time](), "time.Time.wall"},
		{codecErr[withChannel](), "rdd.withChannel.Inner.Done: chan int"},
		{codecErr[tree](), "rdd.tree.Children[]: rdd.tree is within itself"},
		{codecErr[map[string]func()](), "map[string]func()[]: func()"},
		{codecErr[Pair[string, withChannel]](), "rdd.withChannel.Inner.Done: chan int"},
		{codecErr[[]Pair[chan int, int]](), "[].Key: chan int"},
	} {
		if !errors.Is(tc.err, ErrNoCodec) || !strings.Contains(tc.err.Error(), tc.want) {
			t.Errorf("error %v, want ErrNoCodec with %q", tc.err, tc.want)
		}
	}
}

func codecErr[T any]() error {
	_, err := codecOf[T]()
	return err
}

func TestDecodeOutOfRange(t *testing.T) {
	large := mustCodec[int64](t).append(nil, math.MaxInt64)
	if _, _, err := mustCodec[int32](t).decode(large); !errors.Is(err, ErrCorrupt) {
		t.Errorf("int32: error %v", err)
	}
	if _, _, err := mustCodec[int8](t).decode(large); !errors.Is(err, ErrCorrupt) {
		t.Errorf("int8: error %v", err)
	}
	unsigned := mustCodec[uint64](t).append(nil, math.MaxUint64)
	if _, _, err := mustCodec[uint32](t).decode(unsigned); !errors.Is(err, ErrCorrupt) {
		t.Errorf("uint32: error %v", err)
	}
	if _, _, err := mustCodec[uint16](t).decode(unsigned); !errors.Is(err, ErrCorrupt) {
		t.Errorf("uint16: error %v", err)
	}
}

// Damaged bytes give an error, never a panic and never memory that they do not back.
func FuzzCodec(f *testing.F) {
	c := mustCodec[everything](f)
	pairs := mustCodec[Pair[string, int64]](f)
	f.Add(c.append(nil, everything{}))
	f.Add(c.append(nil, everything{Bytes: []byte("b"), Slice: []string{"", "s"}, Map: map[string][]int{"k": {1}}}))
	f.Add(pairs.append(nil, PairOf("key", int64(-3))))
	f.Add(bytes.Repeat([]byte{0xff}, 20))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkDecode(t, c, b)
		checkDecode(t, pairs, b)
		checkDecode(t, mustCodec[[]Pair[string, [4]uint64]](t), b)
	})
}

func checkDecode[T any](t *testing.T, c codec[T], b []byte) {
	v, rest, err := c.decode(b)
	if err != nil {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("error %v", err)
		}
		return
	}
	if len(rest) >= len(b) {
		t.Errorf("%d of %d bytes left", len(rest), len(b))
	}
	canonical := c.append(nil, v)
	again, rest, err := c.decode(canonical)
	if err != nil || len(rest) > 0 || !bytes.Equal(c.append(nil, again), canonical) {
		t.Errorf("%+v came back as %+v, rest %x, error %v", v, again, rest, err)
	}
}
