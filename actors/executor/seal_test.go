package executor

import (
	"bytes"
	"errors"
	"hash/adler32"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/executor/fetch"
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
			if got, err := fetch.Unseal(block, sum); err != nil || string(got) != want[reduce] || len(block) != len(got)+size {
				t.Errorf("%s: %q, %v", settings, got, err)
			}
			for i := range block {
				if size == 0 {
					break
				}
				damaged := slices.Clone(block)
				damaged[i] ^= 0x10
				if _, err := fetch.Unseal(damaged, sum); !errors.Is(err, fetch.ErrDamaged) {
					t.Errorf("%s: byte %d of %d changed, %v", settings, i, len(block), err)
				}
				if _, err := fetch.Unseal(block[:i], sum); !errors.Is(err, fetch.ErrDamaged) {
					t.Errorf("%s: cut at %d of %d, %v", settings, i, len(block), err)
				}
			}
		}
	}
}

// fullOutput has room for what is written first.
type fullOutput struct {
	plainOutput
	written bool
}

var errFull = errors.New("no space left on device")

func (f *fullOutput) Write(p []byte) (int, error) {
	if f.written {
		return 0, errFull
	}
	f.written = true
	return len(p), nil
}

// A checksum that cannot be written fails the map output, of which nothing is left.
func TestACheckSumThatDoesNotFitFailsTheOutput(t *testing.T) {
	full := &fullOutput{}
	out := seal(full, adler32.New)
	if err := out.Partition(0); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Commit(); !errors.Is(err, errFull) || !full.aborted {
		t.Errorf("%v, aborted %t", err, full.aborted)
	}
}

// A block is sealed where the next one begins, once, and only if something was written to it.
func TestABlockIsSealedWhereTheNextOneBegins(t *testing.T) {
	plain := &plainOutput{blocks: make([][]byte, 3)}
	out := seal(plain, adler32.New)
	write := func(reduce int, text string) error {
		err := out.Partition(reduce)
		_, failed := out.Write([]byte(text))
		return errors.Join(err, failed)
	}
	if err := errors.Join(write(0, "one"), write(1, ""), write(2, "")); err != nil {
		t.Fatal(err)
	}
	if len(plain.blocks[0]) != 3+4 || len(plain.blocks[1]) > 0 || len(plain.blocks[2]) > 0 {
		t.Errorf("blocks %q", plain.blocks)
	}
}

// brokenOutput fails to begin a block.
type brokenOutput struct{ plainOutput }

func (brokenOutput) Partition(int) error { return errFull }

// What the output below fails with is the error of each step.
func TestTheErrorsOfAnOutputAreThoseOfItsSeal(t *testing.T) {
	full := seal(&fullOutput{}, adler32.New)
	if _, err := full.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if _, err := full.Write([]byte("def")); !errors.Is(err, errFull) {
		t.Errorf("a write: %v", err)
	}
	if err := full.Partition(1); !errors.Is(err, errFull) {
		t.Errorf("the checksum of a block: %v", err)
	}
	if err := seal(&brokenOutput{}, adler32.New).Partition(0); !errors.Is(err, errFull) {
		t.Errorf("the next block: %v", err)
	}
}
