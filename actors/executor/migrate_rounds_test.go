package executor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// A move says what the peer has to know: the sizes of a map output, the level of a partition. A partition that has moved is kept no more.
func TestWhatAMoveSaysOfItsBlock(t *testing.T) {
	m := newMover(t)
	m.peers = []string{"7"}
	m.mapped(5)
	m.cache(0)
	m.ends(1, "shuffle_0_5_0.index>7", "rdd_0_0>7")
	if got := m.asked[0].GetSizes(); len(got) == 0 || slices.Max(got) == 0 {
		t.Errorf("the output's sizes are %v", got)
	}
	if l := m.asked[1].GetLevel(); !l.GetUseMemory() || l.GetReplication() != 1 {
		t.Errorf("the partition's level is %v", l)
	}
	if !slices.Equal(m.gone, []string{"rdd_0_0"}) {
		t.Errorf("kept no more are %q", m.gone)
	}
}

// Each kind of block moves by its own setting.
func TestWhichBlocksMoveByTheSettings(t *testing.T) {
	const outputs, partitions = "spark.storage.decommission.shuffleBlocks.enabled", "spark.storage.decommission.rddBlocks.enabled"
	for _, k := range []struct {
		off    []string
		rounds bool
		want   []string
	}{
		{[]string{outputs}, true, []string{"rdd_0_0>7"}},
		{[]string{partitions}, true, []string{"shuffle_0_5_0.index>7"}},
		{[]string{outputs, partitions}, false, nil},
	} {
		var settings []*app.Property
		for _, key := range k.off {
			settings = append(settings, &app.Property{Key: key, Value: "false"})
		}
		m := newMover(t, settings...)
		m.peers = []string{"7"}
		m.mapped(5)
		m.cache(0)
		m.ends(1, k.want...)
		if (m.rounds > 0) != k.rounds {
			t.Errorf("without %q it asked for peers %d times", k.off, m.rounds)
		}
	}
}

// A question that fails is asked again in the next round; until then the executor does not end.
func TestAQuestionThatFailsIsAskedAgainInTheNextRound(t *testing.T) {
	fast := &app.Property{Key: "spark.storage.decommission.replicationReattemptInterval", Value: "5s"}
	m := newMover(t, fast)
	m.peers, m.fails = []string{"7"}, 2
	m.mapped(5)
	m.ends(11, "shuffle_0_5_0.index>7")
	m = newMover(t, fast)
	m.peers, m.forgets = []string{"7"}, true
	m.cache(0)
	m.ends(2, "rdd_0_0>7") // what was never tried does not wait for the next round
}

// A peer that leaves is no failure of a partition, which goes to another one.
func TestAPartitionIsTriedUntilAPeerThatStays(t *testing.T) {
	m := newMover(t, &app.Property{Key: "spark.storage.decommission.maxReplicationFailuresPerBlock", Value: "1"})
	m.peers = []string{"7", "8", "9"}
	for _, p := range m.peers {
		m.answers[p] = []string{"leaves", "takes"}
	}
	m.cache(0)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.expect(&app.RemoveExecutor{})
	if len(m.moves) != 4 {
		t.Errorf("moves %q, want four", m.moves)
	}
}

// Each failure counts, and what no executor takes is given up.
func TestACachedBlockIsTriedAgainInTheNextRound(t *testing.T) {
	m := newMover(t, &app.Property{Key: "spark.storage.decommission.replicationReattemptInterval", Value: "5s"})
	m.peers, m.answers = []string{"7"}, map[string][]string{"7": {"full", "gone", "takes"}}
	m.cache(0)
	m.ends(11, "rdd_0_0>7", "rdd_0_0>7", "rdd_0_0>7")
	m = newMover(t)
	m.peers, m.answers = []string{"7", "8"}, map[string][]string{"7": {"full"}, "8": {"full"}}
	m.cache(0)
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.expect(&app.RemoveExecutor{})
	if len(m.moves) != 3 {
		t.Errorf("moves %q, want three failures", m.moves)
	}
}

// leaves decommissions the executor and lets some rounds pass, in which it must not end.
func (m *mover) leaves() {
	m.t.Helper()
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.driver.Quiet(2 * time.Minute)
}

// Until the answer to a question is there, a round asks no second time, and the executor does not end.
func TestARoundWaitsForTheAnswerOfTheOneBefore(t *testing.T) {
	m := newMover(t)
	m.holds = true
	m.mapped(5)
	m.cache(0)
	if m.leaves(); m.rounds != 1 || len(m.moves) > 0 {
		t.Errorf("%d questions, moves %q", m.rounds, m.moves)
	}
	m = newMover(t)
	m.peers, m.answers = []string{"7"}, map[string][]string{"7": {"keeps"}}
	m.cache(0)
	if m.leaves(); len(m.moves) != 1 {
		t.Errorf("moves %q while the first one goes on", m.moves)
	}
}

// Without peers partitions stay where they are, and no further round looks for some.
func TestWithoutPeersNothingMovesAnyMore(t *testing.T) {
	m := newMover(t)
	m.cache(0)
	m.ends(1)
	m = newMover(t)
	m.mapped(5)
	m.cache(0)
	m.launch(task(t, sleeps.With(none{}), 9))
	if m.leaves(); m.rounds != 1 {
		t.Errorf("it asked for peers %d times", m.rounds)
	}
}

// An output that is written while the executor leaves moves as well, before the executor ends.
func TestATaskThatEndsLateHasItsOutputMoved(t *testing.T) {
	m := newMover(t)
	m.peers = []string{"7"}
	m.launch(task(t, sleeps.With(none{}), 9))
	m.driver.Send(m.ref, &app.DecommissionExecutor{})
	m.driver.Quiet(5 * time.Second)
	m.mapped(1) // the driver sent it before it knew
	m.driver.Send(m.ref, &app.KillTask{TaskId: 9, Executor: "0", Reason: "test"})
	m.end()
	m.expect(&app.RemoveExecutor{})
	if !slices.Equal(m.moves, []string{first + ">7"}) {
		t.Errorf("moves %q", m.moves)
	}
}
