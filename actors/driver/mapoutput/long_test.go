package mapoutput_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// caster is the driver's side of broadcasts.
type caster struct {
	kept    [][]byte
	takes   time.Duration
	fails   error
	givenUp []string
}

func (x *caster) broadcast(b *rpcenv.Blocking, encoded []byte) (rdd.BroadcastInfo, error) {
	if err := b.Sleep(x.takes); err != nil || x.fails != nil {
		return rdd.BroadcastInfo{}, errors.Join(err, x.fails)
	}
	x.kept = append(x.kept, encoded)
	return rdd.BroadcastInfo{ID: int64(len(x.kept) - 1), Size: int64(len(encoded)), Pieces: 1}, nil
}

func (x *caster) unbroadcast(_ *rpcenv.Blocking, id int64, site string) error {
	x.givenUp = append(x.givenUp, fmt.Sprint(id, " ", site))
	return nil
}

type longRig struct {
	*rpctest.World
	*caster
	t      *testing.T
	ref    rpcenv.Ref
	dag, e *rpctest.Probe
	log    *logtest.Hook
}

// newLongRig has two executors' outputs of shuffle 4 in the book, and lists of at least so many bytes go by broadcast.
func newLongRig(t *testing.T, minSize int64) *longRig {
	t.Helper()
	r := &longRig{World: rpctest.New(t, 1), caster: &caster{}, t: t}
	r.NoPanic()
	env := r.Env("Driver", nil)
	r.log = logtest.NewLocal(env.Log().Logger)
	r.ref = r.Register(env, mapoutput.Name, mapoutput.New(mapoutput.Config{MinSize: minSize, Broadcast: r.broadcast, Unbroadcast: r.unbroadcast}))
	r.dag, r.e = r.ProbeIn(env, "DAG"), r.Probe("E")
	r.tell(mapoutput.RegisterShuffle{Shuffle: 4, Maps: 2}, mapoutput.RegisterMapOutput{Shuffle: 4, Status: at("0")},
		mapoutput.RegisterMapOutput{Shuffle: 4, MapIndex: 1, Status: at("1")}, mapoutput.IncrementEpoch{Epoch: 1})
	return r
}

func (r *longRig) tell(all ...rpcenv.Message) {
	for _, m := range all {
		r.dag.Send(r.ref, m)
	}
	r.Settle()
}

// asks is the broadcast of an answer and what it holds, or the statuses of the answer itself.
func (r *longRig) asks() string {
	r.t.Helper()
	shuffle := int32(4)
	s, err := rpctest.Ask[*storage.MapOutputStatuses](r.e, r.ref, &storage.GetMapOutputStatuses{ShuffleId: &shuffle})
	if err != nil {
		return err.Error()
	}
	return r.textOf(s)
}

func (r *longRig) textOf(s *storage.MapOutputStatuses) string {
	r.t.Helper()
	if s.GetBroadcast() == nil {
		return fmt.Sprint(short(s), " ", s.GetEpoch())
	}
	var list storage.MapOutputStatuses
	if err := proto.Unmarshal(r.kept[s.GetBroadcast().GetId()], &list); err != nil || len(s.GetStatuses()) > 0 {
		r.t.Error(s, err)
	}
	return fmt.Sprintf("broadcast %d of %d, %s %d", s.GetBroadcast().GetId(), s.GetEpoch(), short(&list), list.GetEpoch())
}

// A long list is cut once for all questions, anew when an output has changed, and given up with its shuffle.
func TestALongListGoesByBroadcast(t *testing.T) {
	r := newLongRig(t, 10)
	for _, step := range []struct {
		m    rpcenv.Message
		want string
	}{
		{mapoutput.RegisterShuffle{Shuffle: 4, Maps: 2}, "broadcast 0 of 1, [0 1] 1"}, // a known shuffle stays as it is
		{mapoutput.IncrementEpoch{Epoch: 2}, "broadcast 0 of 2, [0 1] 1"},
		{mapoutput.RegisterMapOutput{Shuffle: 4, MapIndex: 9, Status: at("2")}, "broadcast 0 of 2, [0 1] 1"}, // there is no such map task
		{mapoutput.UpdateMapOutput{Shuffle: 4, Location: at("2").GetLocation()}, "broadcast 1 of 2, [2 1] 2"},
		{mapoutput.RegisterMapOutput{Shuffle: 4, Status: at("3")}, "broadcast 2 of 2, [3 1] 2"},
		{mapoutput.UnregisterMapOutput{Shuffle: 4, Executor: "3", Epoch: 3}, "broadcast 3 of 3, [- 1] 3"},
		{mapoutput.RegisterMapOutput{Shuffle: 4, Status: at("4")}, "broadcast 4 of 3, [4 1] 3"},
		{mapoutput.RemoveOutputsOnExecutor{Executor: "1", Epoch: 4}, "broadcast 5 of 4, [4 -] 4"},
		{mapoutput.UnregisterAllMapOutput{Shuffle: 4, Epoch: 5}, "[- -] 5"}, // which is short
		{mapoutput.RegisterMapOutput{Shuffle: 4, Status: at("5")}, "broadcast 6 of 5, [5 -] 5"},
		{mapoutput.UnregisterShuffle{Shuffle: 4}, "unknown shuffle 4: its job is over"},
	} {
		r.tell(step.m)
		if got := r.asks(); got != step.want {
			t.Errorf("after %T%+v: %s, want %s", step.m, step.m, got, step.want)
		}
	}
	r.Settle()
	var want []string
	for id := range 7 {
		want = append(want, fmt.Sprint(id, " map outputs of shuffle 4"))
	}
	if !slices.Equal(r.givenUp, want) {
		t.Errorf("given up %q, want %q", r.givenUp, want)
	}
}

func TestAShortListIsTheAnswerItself(t *testing.T) {
	size := int64(proto.Size(&storage.MapOutputStatuses{Statuses: []*storage.MapStatus{at("0"), at("1")}, Epoch: 1}))
	for less, want := range []string{"broadcast 0 of 1, [0 1] 1", "[0 1] 1"} {
		if got := newLongRig(t, size+int64(less)).asks(); got != want {
			t.Errorf("a list of %d bytes, with a limit of %d: %s, want %s", size, size+int64(less), got, want)
		}
	}
}

// Questions that come while the list is being cut wait for it, unless an output has changed meanwhile.
func TestQuestionsWaitForTheBroadcast(t *testing.T) {
	r := newLongRig(t, 10)
	r.takes = time.Second
	shuffle := int32(4)
	var got []string
	ask := func() {
		r.e.Do(func(c *rpcenv.Context) {
			rpcenv.Ask(c, r.ref, &storage.GetMapOutputStatuses{ShuffleId: &shuffle}, func(s *storage.MapOutputStatuses, err error) {
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, r.textOf(s))
			})
		})
		r.Settle()
	}
	ask()
	ask()
	r.tell(mapoutput.UnregisterMapOutput{Shuffle: 4, Executor: "0", Epoch: 2})
	ask()
	r.Advance(time.Minute)
	want := []string{"broadcast 0 of 1, [0 1] 1", "broadcast 0 of 1, [0 1] 1", "broadcast 1 of 2, [- 1] 2"}
	if !slices.Equal(got, want) || !slices.Equal(r.givenUp, []string{"0 map outputs of shuffle 4"}) {
		t.Errorf("answers %q, want %q; given up %q", got, want, r.givenUp)
	}
	ask()
	if len(r.kept) != 2 || len(got) != 4 || got[3] != want[2] {
		t.Errorf("%d broadcasts, answers %q", len(r.kept), got)
	}
}

// Where the driver's blocks cannot be served the list goes as it is.
func TestAListThatCannotBeBroadcastIsTheAnswerItself(t *testing.T) {
	r := newLongRig(t, 10)
	r.fails = errors.New("the port is taken")
	if got := r.asks(); got != "[0 1] 1" {
		t.Error(got)
	}
	if e := r.log.LastEntry(); e == nil || e.Message != "The map outputs of shuffle 4 go without a broadcast: the port is taken" {
		t.Errorf("%+v", e)
	}
	r.fails = nil
	if got := r.asks(); got != "broadcast 0 of 1, [0 1] 1" {
		t.Error(got)
	}
}
