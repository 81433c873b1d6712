package broadcast

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func settings(t rapid.TB, compress, checksum bool, kib int) *conf.Conf {
	c, err := conf.New(map[string]string{
		"spark.broadcast.compress": strconv.FormatBool(compress), "spark.broadcast.checksum": strconv.FormatBool(checksum),
		"spark.broadcast.blockSize": strconv.Itoa(kib) + "k",
	}, Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAValueIsThatOfItsPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kib := rapid.IntRange(1, 3).Draw(t, "KiB")
		c := settings(t, rapid.Bool().Draw(t, "compress"), rapid.Bool().Draw(t, "checksum"), kib)
		value := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(t, "value"), rapid.IntRange(0, 500).Draw(t, "times"))
		info, pieces, err := Cut(c, 7, value)
		if err != nil || int(info.Pieces) != len(pieces) || info.Size != int64(len(value)) || info.ID != 7 {
			t.Fatalf("%+v, %d pieces, %v", info, len(pieces), err)
		}
		for i, p := range pieces {
			if last := i == len(pieces)-1; len(p) > kib<<10 || !last && len(p) != kib<<10 {
				t.Fatalf("piece %d of %d has %d bytes", i, len(pieces), len(p))
			}
			if err := Check(info, i, p); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Join(info, pieces)
		if err != nil || !bytes.Equal(got, value) {
			t.Fatalf("%d bytes of %d, %v", len(got), len(value), err)
		}
	})
}

func TestADamagedPieceIsFound(t *testing.T) {
	c := settings(t, true, true, 1)
	value := []byte(strings.Repeat("a value ", 100))
	info, pieces, err := Cut(c, 3, value)
	if err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(pieces[0])
	bad[len(bad)-1] ^= 1
	if err := Check(info, 0, bad); err == nil || !strings.HasPrefix(err.Error(), "corrupt remote block broadcast_3_piece0 of broadcast_3: ") ||
		!strings.Contains(err.Error(), " != ") {
		t.Errorf("error %v", err)
	}
	info.Checksums = nil
	if err := Check(info, 0, bad); err != nil {
		t.Error(err)
	}
	for name, pieces := range map[string][][]byte{
		"none": nil, "short": {pieces[0][:len(pieces[0])-1]}, "twice": {pieces[0], pieces[0]}, "no Snappy": {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		"of another size": {{1, 0, 'x'}},
	} {
		if _, err := Join(info, pieces); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	info.Compressed = false
	if _, err := Join(info, pieces); !errors.Is(err, errDamaged) {
		t.Errorf("not compressed: %v", err)
	}
}

func FuzzJoin(f *testing.F) {
	f.Add([]byte{1, 0, 'x'}, int64(1))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}, int64(1<<32-1))
	f.Fuzz(func(t *testing.T, data []byte, size int64) {
		if size > 1<<20 {
			size = 1 << 20
		}
		got, err := Join(rdd.BroadcastInfo{Size: size, Pieces: 1, Compressed: true}, [][]byte{data})
		if err == nil && int64(len(got)) != size {
			t.Errorf("%d bytes, want %d", len(got), size)
		}
	})
}

// server notes what a Driver does with it.
type server struct {
	lookup func(string) ([]byte, bool)
	err    error
	calls  int
}

func (s *server) Serve(lookup func(string) ([]byte, bool)) (rpcenv.Address, error) {
	s.lookup = lookup
	s.calls++
	return rpcenv.Address{Host: "h", Port: 1}, s.err
}

type variable struct {
	rdd.BroadcastVar
	id int64
}

func (v variable) Info() rdd.BroadcastInfo { return rdd.BroadcastInfo{ID: v.id} }

func TestADriverServesItsPieces(t *testing.T) {
	s := &server{}
	d := NewDriver(s)
	for range 2 {
		if at, err := d.Open(); err != nil || at.GetPort() != 1 || at.GetExecutorId() != "driver" || s.calls != 1 {
			t.Errorf("%v %v, %d servers", at, err, s.calls)
		}
	}
	c := settings(t, false, true, 1)
	first, reports, err := d.Keep(c, bytes.Repeat([]byte("x"), 2500))
	var sizes []int64
	for _, r := range reports {
		sizes = append(sizes, r.GetMemSize())
	}
	if err != nil || !slices.Equal(sizes, []int64{1024, 1024, 452}) || first.ID != 0 {
		t.Errorf("%v %v %+v", sizes, err, first)
	}
	second, _, err := d.Keep(c, []byte("y"))
	if err != nil || second.ID != 1 {
		t.Error(second, err)
	}
	data, ok := s.lookup("broadcast_0_piece2")
	pieces, err := blocks.Decode(data)
	if !ok || err != nil || len(pieces) != 1 || len(pieces[0]) != 452 {
		t.Errorf("%d bytes, %v, %v", len(data), ok, err)
	}
	d.Destroy(0, "Destroy at x.go:1")
	for _, name := range []string{"broadcast_0_piece0", "broadcast_0_piece2", "broadcast_1_piece1", "broadcast_0"} {
		if _, ok := s.lookup(name); ok {
			t.Errorf("%s is still served", name)
		}
	}
	if _, ok := s.lookup("broadcast_1_piece0"); !ok {
		t.Error("the other broadcast is gone too")
	}
	if err := d.Check([]rdd.BroadcastVar{variable{id: 1}}); err != nil {
		t.Error(err)
	}
	err = d.Check([]rdd.BroadcastVar{variable{id: 1}, variable{id: 0}})
	if want := "Attempted to use Broadcast(0) after it was destroyed (Destroy at x.go:1)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestADriverWithoutAPortSaysSo(t *testing.T) {
	d := NewDriver(&server{err: errors.New("address already in use")})
	if _, err := d.Open(); err == nil {
		t.Error("no error")
	}
}
