package executor

import (
	"bytes"
	"errors"
	"fmt"
	"hash/adler32"
	"slices"
	"testing"

	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// plainOutput is a map output in memory.
type plainOutput struct {
	blocks  [][]byte
	at      int
	aborted bool
}

func (p *plainOutput) Partition(reduce int) error { p.at = reduce; return nil }

func (p *plainOutput) Write(b []byte) (int, error) {
	p.blocks[p.at] = append(p.blocks[p.at], b...)
	return len(b), nil
}
func (p *plainOutput) Commit() ([]int64, error) { return nil, nil }
func (p *plainOutput) Abort() error             { p.aborted = true; return nil }

// A block that was sealed is itself again, and any byte of it that changes is noticed.
func TestSealedBlocks(t *testing.T) {
	for settings, size := range map[string]int{
		"spark.shuffle.checksum.algorithm=ADLER32": 4, "spark.shuffle.checksum.algorithm=CRC32": 4, "spark.shuffle.checksum.algorithm=CRC32C": 4,
		"spark.shuffle.checksum.enabled=false": 0,
	} {
		key, value, _ := bytes.Cut([]byte(settings), []byte("="))
		c, err := conf.New(map[string]string{string(key): string(value)}, Settings)
		if err != nil {
			t.Fatal(err)
		}
		sum := newSum(c)
		plain := &plainOutput{blocks: make([][]byte, 4)}
		out := seal(plain, sum)
		want := []string{"", "one", "", "three in pieces"}
		for reduce, pieces := range [][]string{1: {"one"}, 3: {"three", " in ", "", "pieces"}} {
			if pieces == nil {
				continue
			}
			if err := out.Partition(reduce); err != nil {
				t.Fatal(err)
			}
			for _, piece := range pieces {
				if _, err := out.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := out.Commit(); err != nil {
			t.Fatal(err)
		}
		for reduce, block := range plain.blocks {
			if want[reduce] == "" {
				if len(block) > 0 {
					t.Errorf("%s: a block without records has %d bytes", settings, len(block))
				}
				continue
			}
			if got, err := unseal(block, sum); err != nil || string(got) != want[reduce] || len(block) != len(got)+size {
				t.Errorf("%s: %q, %v", settings, got, err)
			}
			for i := range block {
				if size == 0 {
					break
				}
				damaged := slices.Clone(block)
				damaged[i] ^= 0x10
				if _, err := unseal(damaged, sum); !errors.Is(err, errDamaged) {
					t.Errorf("%s: byte %d of %d changed, %v", settings, i, len(block), err)
				}
				if _, err := unseal(block[:i], sum); !errors.Is(err, errDamaged) {
					t.Errorf("%s: cut at %d of %d, %v", settings, i, len(block), err)
				}
			}
		}
	}
}

// damaging gives sealed blocks, some of them damaged so often.
type damaging struct {
	outside
	damaged map[string]int
	asked   []string
}

func (d *damaging) give(id string) []byte {
	plain := &plainOutput{blocks: make([][]byte, 1)}
	out := seal(plain, adler32.New)
	_, _ = out.Write([]byte(id))
	_, _ = out.Commit()
	if d.damaged[id] > 0 {
		d.damaged[id]--
		plain.blocks[0][0] ^= 1
	}
	return plain.blocks[0]
}

func (d *damaging) Get(id string) ([]byte, error) {
	d.asked = append(d.asked, id)
	return d.give(id), nil
}

func (d *damaging) Fetch(_ *rpcenv.Blocking, _ rpcenv.Address, ids []string, each func(int, []byte) error) error {
	d.asked = append(d.asked, fmt.Sprint(ids))
	for i, id := range ids {
		if err := each(i, d.give(id)); err != nil {
			return err
		}
	}
	return nil
}

// A damaged block is fetched again, with those behind it. One that is damaged again is a failure to fetch, whose map task runs again.
func TestADamagedBlockIsFetchedAgainOnce(t *testing.T) {
	for _, c := range []struct {
		executor string
		damaged  map[string]int
		gives    int
		asked    []string
		blame    int32 // -1: nothing fails
	}{
		{"1", map[string]int{"shuffle_4_11_0": 1}, 3, []string{"[shuffle_4_10_0 shuffle_4_11_0 shuffle_4_12_0]", "[shuffle_4_11_0 shuffle_4_12_0]"}, -1},
		{"1", map[string]int{"shuffle_4_11_0": 2}, 1, []string{"[shuffle_4_10_0 shuffle_4_11_0 shuffle_4_12_0]", "[shuffle_4_11_0 shuffle_4_12_0]"}, 1},
		{"1", map[string]int{"shuffle_4_11_0": 1, "shuffle_4_12_0": 1}, 3, []string{
			"[shuffle_4_10_0 shuffle_4_11_0 shuffle_4_12_0]", "[shuffle_4_11_0 shuffle_4_12_0]", "[shuffle_4_12_0]",
		}, -1},
		{"0", map[string]int{"shuffle_4_11_0": 1}, 3, []string{"shuffle_4_10_0", "shuffle_4_11_0", "shuffle_4_11_0", "shuffle_4_12_0"}, -1},
		{"0", map[string]int{"shuffle_4_12_0": 2}, 2, []string{"shuffle_4_10_0", "shuffle_4_11_0", "shuffle_4_12_0", "shuffle_4_12_0"}, 2},
	} {
		d := &damaging{damaged: c.damaged}
		outputs := []*storagepb.MapStatus{at(c.executor, "h", 1, 10, 5), at(c.executor, "h", 1, 11, 5), at(c.executor, "h", 1, 12, 5)}
		w := reducer(&d.outside, outputs...)
		w.io.Blocks, w.io.Transfer, w.sum = d, d, adler32.New
		gives, blame := 0, int32(-1)
		for block, err := range w.fetch(nil, 1, 0) {
			var failed *fetchError
			switch {
			case errors.As(err, &failed):
				blame = failed.mapIndex
			case err != nil || string(block) != fmt.Sprintf("shuffle_4_%d_0", 10+gives):
				t.Errorf("%q, %v", block, err)
			default:
				gives++
			}
		}
		if gives != c.gives || blame != c.blame || !slices.Equal(d.asked, c.asked) {
			t.Errorf("executor %s: %d blocks, %d to blame, asked %q; want %+v", c.executor, gives, blame, d.asked, c)
		}
	}
}
