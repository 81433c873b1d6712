package local

import (
	"errors"
	"testing"
)

// A map output that was given up, and a temporary file that was closed, leave their room on the disk to others.
func TestWhatIsGivenUpLeavesItsRoomOnTheDisk(t *testing.T) {
	table := newBlockTable(Sim)
	table.disk = 100
	s := table.newStore("10.0.0.1", func() bool { return false })
	for range 3 {
		out, err := s.MapOutput(1, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Create()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
		if err := out.Partition(0); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(make([]byte, 1)); !errors.Is(err, errDiskFull) {
			t.Error(err)
		}
		if err := errors.Join(out.Abort(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.MapOutput(1, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Partition(1); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if sizes, err := out.Commit(); err != nil || len(sizes) != 2 || sizes[0] != 0 || sizes[1] != 3 || s.used != 3 {
		t.Error(sizes, err, s.used)
	}
	if data, err := s.Get("shuffle_1_2_1"); err != nil || string(data) != "abc" {
		t.Errorf("%q, %v", data, err)
	}
}
