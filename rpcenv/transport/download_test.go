package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

func TestDownloadsHaveConnectionsOfTheirOwn(t *testing.T) {
	const n = 32
	h := newHost(t, Options{})
	at, accepted := listen(t, h)
	s, err := h.FileServer(at)
	if err != nil {
		t.Fatal(err)
	}
	link := dial(t, h, at)
	link.Send(oneWay("before"))
	peer := await(t, "accept", accepted)
	await(t, "before", peer.got)
	dir := t.TempDir()
	c := newClient(t, BulkOptions{})
	var running sync.WaitGroup
	for i := range n {
		content := strings.Repeat(fmt.Sprint(i, " "), 1<<17)
		uri := must(t)(s.AddFile("", write(t, dir, fmt.Sprint("f", i), content)))
		running.Go(func() {
			for range 3 {
				if got, err := download(t, c, uri); err != nil || got != content {
					t.Errorf("%s: %d bytes, %v", uri, len(got), err)
				}
			}
		})
	}
	link.Send(oneWay("meanwhile"))
	await(t, "meanwhile", peer.got)
	running.Wait()
	if len(accepted) != 0 {
		t.Error("a download became a link")
	}
}

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
	s, _ := fileServer(t)
	dir := t.TempDir()
	path := write(t, dir, "f", strings.Repeat("x", 1<<20))
	uri := must(t)(s.AddFile("", path))
	nobody := rpcenv.Address{Host: "127.0.0.1", Port: 1}.SparkURL() + "/files/f"
	c := newClient(t, BulkOptions{})
	for _, x := range []struct {
		name, uri string
		w         io.Writer
		opts      BulkOptions
		want      error
		says      string
	}{
		{"nobody listens", nobody, io.Discard, BulkOptions{}, ErrRefused, nobody},
		{"not served", uri + "x", io.Discard, BulkOptions{}, ErrNotServed, "Stream '/files/fx' was not found"},
		{"no URI", "spark://h/files", io.Discard, BulkOptions{}, rpcenv.ErrInvalidURL, "Invalid file URL"},
		{"too big", uri, io.Discard, BulkOptions{MaxFile: 1<<20 - 1}, ErrFrameTooLarge, "a file of 1048576 bytes, allowed are 1048575"},
		{"the disk is full", uri, &brim{1 << 19}, BulkOptions{}, ErrNotStored, "524288 of 1048576 bytes were written: no space left on device"},
		{"the peer is gone", liar(t, appendStream(nil, typeStreamResponse, "/f", slice("0000000000000005"))).SparkURL() + "/f", io.Discard, BulkOptions{}, ErrTruncated, "5 bytes are missing"},
		{"the peer goes at once", liar(t, nil).SparkURL() + "/f", io.Discard, BulkOptions{}, ErrTruncated, "see whether its process still runs"},
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
	err = newClient(t, BulkOptions{}).FetchFile(t.Context(), s.at.SparkURL()+"/files/f", full)
	if !errors.Is(err, ErrNotStored) || !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}
