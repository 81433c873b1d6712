package costs

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

func TestBytesOfARecording(t *testing.T) {
	x := table{
		title: "Bytes of a recording",
		about: "What recording writes for an operation into the files of both processes; of a message 1 KiB is kept. The ring has its memory\n" +
			"from the beginning: a record takes the 64 bytes of the oldest one.",
		head: sizeNames("operation"),
	}
	tell, ask := []string{"remote tell"}, []string{"remote ask"}
	for _, size := range sizes {
		tell = append(tell, strconv.Itoa(recorded(t, size, false)))
		ask = append(ask, strconv.Itoa(recorded(t, size, true)))
	}
	x.add(tell...)
	x.add(ask...)
	x.check(t)
}

// recorded is how many bytes the records of one operation take at both ends: the last of enough of them that their numbers
// take two bytes.
func recorded(t *testing.T, size int, ask bool) int {
	t.Helper()
	files := []string{filepath.Join(t.TempDir(), "to"), filepath.Join(t.TempDir(), "from")}
	var recorders []*record.Recorder
	for _, f := range files {
		r, err := record.NewFileRecorder(f, 0)
		if err != nil {
			t.Fatal(err)
		}
		recorders = append(recorders, r)
	}
	envs := []*rpcenv.Env{newEnv(t, "To", recorders[0]), newEnv(t, "From", recorders[1])}
	p := newPair(t, envs[1], envs[0], envs[0].Address(), size, ask)
	do := p.tells
	if ask {
		do = p.asks
	}
	run(t, do, 4*burst)
	var all []entry
	for i, e := range envs {
		e.Close() // waits for the handlers: what they have handled is recorded behind them
		if err := recorders[i].Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, entriesOf(t, files[i])...)
	}
	sum := lastOf(t, all, false)
	if ask {
		sum += lastOf(t, all, true)
	}
	return sum
}

// entry is a record of a file, and how many bytes it has there.
type entry struct {
	*tracepb.Record
	size int
}

// entriesOf reads a file entry by entry. One that is no record is a name, which is written once.
func entriesOf(t *testing.T, file string) (all []entry) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tail record.Tail
	if _, err := tail.Feed(b[:len(record.Magic)]); err != nil {
		t.Fatal(err)
	}
	for b = b[len(record.Magic):]; len(b) > 0; {
		_, n := protowire.ConsumeBytes(b)
		if n < 0 {
			t.Fatal("the file is torn")
		}
		records, err := tail.Feed(b[:n])
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			all = append(all, entry{r, n})
		}
		b = b[n:]
	}
	return all
}

// lastOf is the size of the records of the last message that went in a direction: one when it was sent, one when it was handled.
func lastOf(t *testing.T, all []entry, back bool) int {
	t.Helper()
	var last record.ID
	var of []entry
	for _, r := range all {
		id := record.IDOf(r.GetId())
		if id.Conn == 0 || id.Back != back || id.N < last.N {
			continue
		}
		if id.N > last.N {
			last, of = id, nil
		}
		of = append(of, r)
	}
	if len(of) != 2 || last.N < 1<<7 || of[0].GetKind() == of[1].GetKind() {
		t.Fatalf("the last message is number %d and has the records %v", last.N, of)
	}
	return of[0].size + of[1].size
}
