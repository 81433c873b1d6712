package transport

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// batches is a Receiver that notes what came at once.
type batches struct {
	*ear
	link rpcenv.Link
	all  [][]string
}

func (b *batches) ReceiveBatch(e *rpcenv.Envelope, next func() *rpcenv.Envelope) (turn func()) {
	var batch []string
	for ; e != nil; e = next() {
		batch = append(batch, string(e.Content))
		if string(e.Content) == "close" {
			b.link.Close()
		}
	}
	b.all = append(b.all, batch)
	return nil
}

func TestFramesThatCameAtOnceAreOneBatch(t *testing.T) {
	malformed := []byte{0, 0, 0, 0, 0, 0, 0, 9, 77}
	for name, c := range map[string]struct {
		writes []any // texts of messages, or bytes
		want   [][]string
		end    string
	}{
		"one":                  {[]any{"a"}, [][]string{{"a"}}, ""},
		"some":                 {[]any{"a", "b", "c"}, [][]string{{"a", "b", "c"}}, ""},
		"one is not whole":     {[]any{"a", "b", frameOf(t, "c")[:20]}, [][]string{{"a", "b"}}, ""},
		"a length is not":      {[]any{"a", frameOf(t, "b")[:3]}, [][]string{{"a"}}, ""},
		"one is malformed":     {[]any{"a", malformed, "b"}, [][]string{{"a"}}, "receive from : malformed frame: type 77 has no place in RPC"},
		"one is too large":     {[]any{"a", string(make([]byte, 5000)), "b"}, [][]string{{"a"}}, "receive from : frame too large: 5013 bytes, allowed are 4096"},
		"closed in the middle": {[]any{"a", "close", "b"}, [][]string{{"a", "close"}}, closedHere},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, Options{})
				ours, peer := newCables()
				b := &batches{ear: newEar()}
				go h.link(ours, wire.NewReader(ours), func(l rpcenv.Link) rpcenv.Receiver {
					b.link = l
					return b
				})
				var bytes bytes.Buffer
				for _, w := range c.writes {
					if s, ok := w.(string); ok {
						w = frameOf(t, s)
					}
					bytes.Write(w.([]byte))
				}
				if _, err := peer.Write(bytes.Bytes()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if !slices.EqualFunc(b.all, c.want, slices.Equal) {
					t.Errorf("got %q, want %q", b.all, c.want)
				}
				if c.end != "" {
					time.Sleep(2 * lingerTime)
					if err := await(t, "end", b.closed); fmt.Sprint(err) != c.end {
						t.Error(err)
					}
				}
				_ = peer.Close()
				synctest.Wait()
			})
		})
	}
}
