package app

import (
	"errors"
	"fmt"
	"io"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// Transfer fetches from others' block ports. Its owner closes it.
type Transfer struct{ client *bulk.Client }

var _ storage.Streamer = Transfer{}

// NewTransfer makes a Transfer without connections.
func NewTransfer() Transfer { return NewTransferOf("") }

// NewTransferOf is NewTransfer for an application, whose blocks it finds among those of others at a shuffle service.
func NewTransferOf(app string) Transfer {
	return Transfer{bulk.NewClient(bulk.Options{Of: bulk.Owner{App: app}})}
}

// Close ends its connections, and what is being fetched.
func (t Transfer) Close() error { return t.client.Close() }

// Fetch implements [storage.Transfer].
func (t Transfer) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	return t.Stream(b, from, ids, func(i int, r io.Reader, n int64) error {
		data := make([]byte, n)
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		return each(i, data)
	})
}

// Stream implements [storage.Streamer].
func (t Transfer) Stream(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, io.Reader, int64) error) error {
	var ours error // each's own, which no other connection would mend
	err := t.client.FetchBlocks(b.Context(), from, ids, func(i int, r io.Reader, n int64) error {
		in := &heard{r: r}
		err := each(i, in, n)
		if in.err == nil {
			ours = err
		}
		return err
	})
	if err == nil || ours != nil || errors.Is(err, bulk.ErrNotServed) || b.Done() {
		return err
	}
	return fmt.Errorf("%w: %w", storage.ErrConnection, err)
}

// heard is a stream that notes its failure.
type heard struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (h *heard) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		h.err = err
	}
	return n, err
}
