package app

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// transferring runs body with a Transfer, outside of a task.
func transferring(t *testing.T, body func(b *rpcenv.Blocking, tr Transfer)) {
	t.Helper()
	host := transport.New(transport.Options{})
	defer host.Close()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	b := env.Blocking(t.Context())
	defer b.Close()
	tr := NewTransfer()
	defer tr.Close()
	body(b, tr)
}

// Only what happened to the connection is worth another try: not what the other side answers, nor what goes wrong here.
func TestOnlyAConnectionThatFailsIsWorthAnotherTry(t *testing.T) {
	blocks, _ := newTestBlocks(t)
	if err := blocks.Put([]string{"a"}, [][]byte{[]byte("abc")}); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	transferring(t, func(b *rpcenv.Blocking, tr Transfer) {
		fetch := func(at rpcenv.Address, id string, failure error) error {
			return tr.Fetch(b, at, []string{id}, func(_ int, data []byte) error {
				if string(data) != "abc" {
					t.Errorf("%q", data)
				}
				return failure
			})
		}
		if err := fetch(blocks.Address(), "a", nil); err != nil {
			t.Error(err)
		}
		if err := fetch(blocks.Address(), "b", nil); err == nil || errors.Is(err, storage.ErrConnection) || !strings.Contains(err.Error(), "no block b here") {
			t.Errorf("a block that is not there: %v", err)
		}
		if err := fetch(blocks.Address(), "a", full); !errors.Is(err, full) || errors.Is(err, storage.ErrConnection) {
			t.Errorf("a failure of one's own: %v", err)
		}
		if err := fetch(rpcenv.Address{Host: "127.0.0.1", Port: 1}, "a", nil); !errors.Is(err, storage.ErrConnection) {
			t.Errorf("a port at which nobody listens: %v", err)
		}
		// The file is shorter than the server thinks, so it ends the connection in the middle of the block.
		cut := blocks.index["a"]
		cut.size = 100
		blocks.index["cut"] = cut
		err := tr.Stream(b, blocks.Address(), []string{"cut"}, func(_ int, r io.Reader, size int64) error {
			data, err := io.ReadAll(r)
			if size != 100 || string(data) != "abc" {
				t.Errorf("%q of %d bytes", data, size)
			}
			return err
		})
		if !errors.Is(err, storage.ErrConnection) {
			t.Errorf("a connection that ends within a block: %v", err)
		}
	})
}

// A large block of an executor's own is read from its file.
func TestABlockIsReadFromItsFile(t *testing.T) {
	blocks, _ := newTestBlocks(t)
	if err := blocks.Put([]string{"a", "b"}, [][]byte{[]byte("abc"), []byte("defg")}); err != nil {
		t.Fatal(err)
	}
	f, err := blocks.OpenBlock("b")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 3)
	if _, err := f.ReadAt(data, 1); err != nil || string(data) != "efg" || f.Size() != 4 {
		t.Errorf("%q of %d bytes, %v", data, f.Size(), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := blocks.OpenBlock("c"); err == nil {
		t.Error("there is no block c")
	}
}
