package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	pb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// server is a broadcast.Server that says where it would serve.
type server struct {
	lookup func(string) ([]byte, bool)
	err    error
}

func (s *server) Serve(lookup func(string) ([]byte, bool)) (rpcenv.Address, error) {
	s.lookup = lookup
	return rpcenv.Address{Host: "blocks", Port: 9}, s.err
}

func (s *server) has(piece string) bool {
	_, ok := s.lookup(piece)
	return ok
}

// caster is a Runner for rdd.NewBroadcast, whose calls are bodies of the program.
type caster struct {
	rdd.Runner
	r *rig
}

func (c caster) Broadcast(_ context.Context, encoded []byte) (info rdd.BroadcastInfo, err error) {
	err = c.r.program(func(b *rpcenv.Blocking) (err error) {
		info, err = c.r.driver.Broadcast(b, encoded)
		return err
	})
	return info, err
}

func (c caster) Unbroadcast(_ context.Context, id int64, destroyed string) error {
	return c.r.program(func(b *rpcenv.Blocking) error { return c.r.driver.Unbroadcast(b, id, destroyed) })
}

// casting makes a rig whose driver has broadcasts.
func casting(t *testing.T) (*rig, *server) {
	t.Helper()
	s := &server{}
	return newRigWith(t, 1, nil, func(cfg *driver.Config) { cfg.Blocks = s }), s
}

var castJob = rdd.Define("cast", func(of rdd.Broadcast[string]) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, 1, 1), func(int64) int64 { return int64(len(of.Value())) })
})

// An executor finds a piece as soon as the program has its Broadcast. Unpersist takes it from the executors, Destroy from the driver too.
func TestABroadcastLivesUntilDestroy(t *testing.T) {
	r, s := casting(t)
	e := r.keeping("0", 1)
	var removed []string
	e.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*pb.RemoveBroadcast)
		if ok {
			removed = append(removed, fmt.Sprint(q.GetBroadcastId(), " from the driver too: ", q.GetRemoveFromDriver()))
			rpcenv.Reply(c, q, &pb.RemovedBlocks{})
		}
		return ok
	})
	holders := func(piece string) (out []string) {
		t.Helper()
		got, err := rpctest.Ask[*pb.BlockLocations](e.Probe, r.at(storage.MasterName), &pb.GetLocations{BlockId: piece})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range got.GetLocations() {
			out = append(out, fmt.Sprintf("%s at %s:%d", at.GetExecutorId(), at.GetHost(), at.GetPort()))
		}
		return out
	}
	ctx := t.Context()
	first, err := rdd.NewBroadcast(ctx, caster{r: r}, "one")
	if err != nil {
		t.Fatal(err)
	}
	second, err := rdd.NewBroadcast(ctx, caster{r: r}, "second")
	if err != nil {
		t.Fatal(err)
	}
	const driverHas = "driver at blocks:9"
	if got := holders("broadcast_1_piece0"); first.ID() != 0 || second.ID() != 1 || !slices.Equal(got, []string{driverHas}) || !s.has("broadcast_1_piece0") {
		t.Errorf("broadcasts %d and %d, the second at %q", first.ID(), second.ID(), got)
	}
	if err := second.Unpersist(ctx); err != nil || !s.has("broadcast_1_piece0") || !slices.Equal(holders("broadcast_1_piece0"), []string{driverHas}) {
		t.Errorf("after Unpersist: %v, at %q", err, holders("broadcast_1_piece0"))
	}
	if err := second.Destroy(ctx); err != nil || s.has("broadcast_1_piece0") || len(holders("broadcast_1_piece0")) > 0 {
		t.Errorf("after Destroy: %v, at %q", err, holders("broadcast_1_piece0"))
	}
	if want := []string{"1 from the driver too: false", "1 from the driver too: true"}; !slices.Equal(removed, want) {
		t.Errorf("the executor was asked for %q, want %q", removed, want)
	}
	if !s.has("broadcast_0_piece0") {
		t.Error("the other one is gone")
	}
}

// A job that has a Broadcast which was destroyed does not start.
func TestAJobWithADestroyedBroadcastFails(t *testing.T) {
	r, _ := casting(t)
	e := r.launched("0", 1)
	ctx := t.Context()
	shared, err := rdd.NewBroadcast(ctx, caster{r: r}, "value")
	if err != nil {
		t.Fatal(err)
	}
	inv, err := castJob.With(shared).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	if err := shared.Destroy(ctx); err != nil {
		t.Fatal(err)
	}
	err = r.program(func(b *rpcenv.Blocking) error {
		_, err := r.driver.RunJob(b, inv, rdd.ActionCount)
		return err
	})
	gone, ok := errors.AsType[*rdd.DestroyedError](err)
	if !ok || gone.ID != 0 || len(e.Waiting()) > 0 {
		t.Errorf("%v; the executor got %v", err, e.Waiting())
	}
	if err.Error() != "job cast: "+gone.Error() {
		t.Error(err)
	}
}

// A job without a lineage has no broadcasts to look at: it fails for its own reason.
func TestAJobWithoutALineageHasNoBroadcasts(t *testing.T) {
	r, _ := casting(t)
	err := r.program(func(b *rpcenv.Blocking) error {
		_, err := r.driver.RunJob(b, rdd.Invocation{Name: "none"}, rdd.ActionCount)
		return err
	})
	if !errors.Is(err, rdd.ErrBadJob) {
		t.Error(err)
	}
}

func TestADriverThatServesNoBlocksHasNoBroadcasts(t *testing.T) {
	const want = "this driver serves no blocks: set driver.Config.Blocks"
	r := newRig(t, 1, nil, nil)
	c := caster{r: r}
	if _, err := c.Broadcast(t.Context(), []byte("x")); err == nil || err.Error() != want {
		t.Error(err)
	}
	if err := c.Unbroadcast(t.Context(), 0, ""); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// A value that no executor could find is kept nowhere.
func TestABroadcastThatFailsLeavesNothing(t *testing.T) {
	broken := errors.New("port 9 is taken")
	r, s := casting(t)
	s.err = broken
	c := caster{r: r}
	if _, err := c.Broadcast(t.Context(), []byte("x")); !errors.Is(err, broken) {
		t.Error(err)
	}
	s.err = nil
	r.env.Stop(storage.MasterName)
	r.Settle()
	if _, err := c.Broadcast(t.Context(), []byte("x")); !errors.Is(err, rpcenv.ErrRefusedNotFound) || s.has("broadcast_0_piece0") {
		t.Errorf("%v; kept: %t", err, s.has("broadcast_0_piece0"))
	}
	if err := c.Unbroadcast(t.Context(), 0, "here"); !errors.Is(err, rpcenv.ErrRefusedNotFound) {
		t.Error(err)
	}
}

// The Broadcast of another program is no reason to fail before the tasks do.
func TestADriverWithoutBroadcastsChecksNone(t *testing.T) {
	of, _ := casting(t)
	shared, err := rdd.NewBroadcast(t.Context(), caster{r: of}, "value")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, 1, nil, nil)
	e := r.launched("0", 1)
	run(r, castJob.With(shared))
	r.Settle()
	if len(e.Waiting()) != 1 {
		t.Error("the job did not start")
	}
}
