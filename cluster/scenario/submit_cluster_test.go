package scenario_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/scenario"
)

// A driver in cluster mode is submitted to all Masters; the one that leads launches it.
func TestADriverIsSubmittedToSeveralMasters(t *testing.T) {
	const first = "cluster worlds=(sim) seed=1"
	r, err := scenario.New(local.Sim, first)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	lines := []string{first}
	for _, m := range []string{"M1", "M2", "M3"} {
		lines = append(lines, "start master "+m+" peers=M1,M2,M3 recovery=RAFT")
	}
	out, err := r.Block(t.Context(), append(lines,
		"start worker W1 master=M1,M2,M3 cores=2 memory=2g",
		"advance 5s",
		"submit D pi 2 master=M1,M2,M3 deploy-mode=cluster cores=1 memory=512m",
		"run until=*->W1:LaunchDriver"))
	if err != nil || !strings.Contains(out, " LaunchDriver(") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := r.Block(t.Context(), []string{first, "submit E pi 2 master=M1,MX deploy-mode=cluster"}); err == nil || !strings.Contains(err.Error(), "called MX") {
		t.Errorf("a Master that does not exist: %v", err)
	}
}
