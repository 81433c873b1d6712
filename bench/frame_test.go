package bench

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/transport"
)

// The rival's frames are those that Coherer's transport writes, byte for byte, and it reads them back.
func TestFramesAreThoseOfCoherer(t *testing.T) {
	near, far := rpcenv.Address{Host: "127.0.0.1", Port: 40001}, rpcenv.Address{Host: "127.0.0.1", Port: 40002}
	f, err := newFramer(near, far, "Sink")
	if err != nil {
		t.Fatal(err)
	}
	table, err := codec.Load()
	if err != nil {
		t.Fatal(err)
	}
	inPlace, err := newFramer(near, far, "Sink")
	if err != nil {
		t.Fatal(err)
	}
	inPlace.inPlace = true
	for _, payload := range []int{0, 8, 100, 1000, bufferSize, 3 * bufferSize} {
		m := &app.StatusUpdate{ExecutorId: "0", State: app.TaskState_RUNNING, Result: &app.TaskResult{Records: bytes.Repeat([]byte{7}, payload)}}
		content, err := table.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*rpcenv.Envelope{
			{Kind: rpcenv.KindOneWay, Sender: near, Receiver: far, Endpoint: "Sink", Content: content},
			{Kind: rpcenv.KindRequest, RequestID: 77, Sender: near, Receiver: far, Endpoint: "Sink", Content: content},
			{Kind: rpcenv.KindResponse, RequestID: 77, Content: content},
		} {
			want, err := transport.AppendEnvelope(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.append(nil, e.Kind, e.RequestID, m)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("kind %d, %d bytes of payload:\n%x\nwant\n%x", e.Kind, payload, got, want)
			}
			in := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(got), bytes.NewReader(got)), bufferSize)
			for _, f := range []*framer{f, inPlace} {
				request, back, err := f.read(in, e.Kind)
				if err != nil || request != e.RequestID || !proto.Equal(back, m) {
					t.Fatal(e.Kind, payload, request, err)
				}
			}
			if _, _, err := f.read(in, e.Kind); err != io.EOF { //nolint:errorlint // as bufio says it
				t.Error("after the last:", err)
			}
		}
	}
	oneWay, err := f.append(nil, rpcenv.KindOneWay, 0, &app.StatusUpdate{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.read(bufio.NewReader(bytes.NewReader(oneWay)), rpcenv.KindRequest); err == nil {
		t.Error("a frame of another kind is read")
	}
	other, err := newFramer(near, far, "Tank")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.read(bufio.NewReader(bytes.NewReader(oneWay)), rpcenv.KindOneWay); err == nil {
		t.Error("a frame for another endpoint is read")
	}
}

// What the two contenders of raw TCP differ in is one allocation for each frame, that of its bytes.
func TestAFrameIsCopiedUnlessInPlace(t *testing.T) {
	near, far := rpcenv.Address{Host: "127.0.0.1", Port: 40001}, rpcenv.Address{Host: "127.0.0.1", Port: 40002}
	reads := func(inPlace bool) float64 {
		f, err := newFramer(near, far, "Sink")
		if err != nil {
			t.Fatal(err)
		}
		f.inPlace = inPlace
		frame, err := f.append(nil, rpcenv.KindOneWay, 0, &app.StatusUpdate{ExecutorId: "0"})
		if err != nil {
			t.Fatal(err)
		}
		const runs = 100
		in := bufio.NewReaderSize(bytes.NewReader(bytes.Repeat(frame, runs+1)), bufferSize)
		return testing.AllocsPerRun(runs, func() {
			if _, _, err := f.read(in, rpcenv.KindOneWay); err != nil {
				t.Fatal(err)
			}
		})
	}
	if copying, inPlace := reads(false), reads(true); copying != inPlace+1 {
		t.Errorf("a frame that is copied costs %v allocations, one in place %v: want one more", copying, inPlace)
	}
}
