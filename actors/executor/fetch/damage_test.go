package fetch

import (
	"errors"
	"io"
	"strings"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/rdd"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Damage that comes twice lies on a disk, another one each time comes of the network. The first time is logged with the block and where
// it came from; the error names block and cause. A block of this executor, one in a file of this host, and one of the network are alike.
func TestTheCauseOfDamageIsNamed(t *testing.T) {
	const id = "shuffle_4_0_0"
	for _, from := range []string{"own", "own file", "near", "network"} {
		for _, toMemory := range []int64{1000, 0} {
			for name, c := range map[string]struct {
				first, second func([]byte)
				want          string
			}{
				"same bytes":         {func(b []byte) { b[3] ^= 1 }, func(b []byte) { b[3] ^= 1 }, "DISK_ISSUE"},
				"other bytes":        {func(b []byte) { b[3] ^= 1 }, func(b []byte) { b[3] ^= 2 }, "NETWORK_ISSUE"},
				"other checksum":     {func(b []byte) { b[len(b)-1] ^= 1 }, func(b []byte) { b[len(b)-1] ^= 2 }, "NETWORK_ISSUE"},
				"checksum, then sum": {func(b []byte) { b[len(b)-1] ^= 1 }, func(b []byte) { b[0] ^= 1 }, "NETWORK_ISSUE"},
			} {
				r := newRig(t)
				said := logtest.NewLocal(r.env.Log().Logger)
				r.source.ToMemory = toMemory
				n := 0
				damaged := func() []byte {
					data := sealedText(id)
					if n%2 == 0 {
						c.first(data)
					} else {
						c.second(data)
					}
					n++
					return data
				}
				block := block(map[string]int{"near": 2, "network": 1}[from], 0)
				closed := 0
				open := func() (rdd.File, error) { return nearFile{strings.NewReader(string(damaged())), &closed}, nil }
				switch from {
				case "own":
					r.source.Own = func(string) ([]byte, error) { return damaged(), nil }
				case "own file":
					r.source.OpenOwn = func(string) (rdd.File, error) { return open() }
					r.source.Own = func(string) ([]byte, error) { return damaged(), nil }
				case "near":
					block.At.Host = "h0"
					r.source.Near = func(*rpcenv.Blocking, *storagepb.BlockManagerId, string) (rdd.File, error) { return open() }
				}
				r.source.Transfer = givesDamaged{damaged}
				_, _, err := r.read(block)
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "Block "+id+" is corrupted due to "+c.want+": ") {
					t.Errorf("%s, %s: error %v", from, name, err)
				}
				warn := "got an corrupted block " + id + " from BlockManagerId(" + block.At.GetExecutorId() + ", " + block.At.GetHost() + ", "
				times := 1
				if from == "near" { // the file, and then the network
					times = 2
				}
				if len(said.AllEntries()) != times || n != 2*times || !strings.HasPrefix(said.AllEntries()[0].Message, warn) {
					t.Errorf("%s, %s: read %d times, logged %d lines, the first of which is not %s", from, name, n, len(said.AllEntries()), warn)
				}
			}
		}
	}
}

// givesDamaged is a Transfer that brings a block damaged.
type givesDamaged struct{ damaged func() []byte }

func (g givesDamaged) Fetch(_ *rpcenv.Blocking, _ rpcenv.Address, ids []string, each func(int, []byte) error) error {
	for i := range ids {
		if err := each(i, g.damaged()); err != nil {
			return err
		}
	}
	return nil
}

func (g givesDamaged) Stream(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, io.Reader, int64) error) error {
	return g.Fetch(b, from, ids, func(i int, data []byte) error { return each(i, strings.NewReader(string(data)), int64(len(data))) })
}
