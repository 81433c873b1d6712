package bulk

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// brim is a Writer that is full.
type brim struct{ room int }

func (b *brim) Write(p []byte) (int, error) {
	if len(p) > b.room {
		n := b.room
		b.room = 0
		return n, syscall.ENOSPC
	}
	b.room -= len(p)
	return len(p), nil
}

func TestDownloadsThatFail(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	path := write(t, dir, "f", strings.Repeat("x", 1<<20))
	uri := must(t)(s.AddFile("", path))
	nobody := rpcenv.Address{Host: "127.0.0.1", Port: 1}.SparkURL() + "/files/f"
	c := newClient(t, Options{})
	for _, x := range []struct {
		name, uri string
		w         io.Writer
		opts      Options
		want      error
		says      string
	}{
		{"nobody listens", nobody, io.Discard, Options{}, wire.ErrRefused, nobody},
		{"not served", uri + "x", io.Discard, Options{}, ErrNotServed, "Stream '/files/fx' was not found"},
		{"no URI", "spark://h/files", io.Discard, Options{}, rpcenv.ErrInvalidURL, "Invalid file URL"},
		{"too big", uri, io.Discard, Options{MaxFile: 1<<20 - 1}, wire.ErrFrameTooLarge, "a file of 1048576 bytes, allowed are 1048575"},
		{"the disk is full", uri, &brim{1 << 19}, Options{}, ErrNotStored, "524288 of 1048576 bytes were written: no space left on device"},
		{"the peer is gone", liar(t, appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000005"))).SparkURL() + "/f", io.Discard, Options{}, wire.ErrTruncated, "5 bytes are missing"},
		{"the peer goes at once", liar(t, nil).SparkURL() + "/f", io.Discard, Options{}, wire.ErrTruncated, "see whether its process still runs"},
	} {
		t.Run(x.name, func(t *testing.T) {
			err := newClient(t, x.opts).FetchFile(t.Context(), x.uri, x.w)
			if !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), x.uri) {
				t.Errorf("%v, want %v that says %s", err, x.want, x.says)
			}
			if got, err := download(t, c, uri); err != nil || len(got) != 1<<20 {
				t.Errorf("the next download: %d bytes, %v", len(got), err)
			}
		})
	}
	t.Run("taken away", func(t *testing.T) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := download(t, c, uri); !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "no such file") {
			t.Error(err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.FetchFile(ctx, uri, io.Discard); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestAFullDiskIsSaid(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer func() { _ = full.Close() }()
	s := secrets(t)
	err = newClient(t, Options{}).FetchFile(t.Context(), s.at.SparkURL()+"/files/f", full)
	if !errors.Is(err, ErrNotStored) || !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}
