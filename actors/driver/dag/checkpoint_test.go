package dag

import (
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

// storedHalf has a Checkpoint above its last node, and another file that comes before it.
var storedHalf = rdd.Define("dag test: stored half", func(int) rdd.Dataset[string] {
	return rdd.Union(rdd.TextFile("a", 1), rdd.Checkpoint(rdd.Indeterminate(rdd.TextFile("b", 1))))
})

func checkpointOf(t *testing.T, l *rdd.Lineage) int {
	t.Helper()
	for _, p := range l.Persisted() {
		if p.Checkpoint {
			return p.Node
		}
	}
	t.Fatal("there is no checkpoint")
	return 0
}

// The job that writes is of the dataset of the job before, so it must find the same version of its files.
func TestAJobThatWritesACheckpointIsOfTheSameDataset(t *testing.T) {
	inv, err := storedHalf.With(0).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	files := rdd.MemFS{"a": []byte("one\n"), "b": []byte("two\nthree\n")}
	l, node := inv.Lineage, checkpointOf(t, inv.Lineage)
	whole, err := layout(files, l, l.Last())
	if err != nil {
		t.Fatal(err)
	}
	part, err := layout(files, l, node)
	if err != nil || part.Version != whole.Version {
		t.Errorf("versions %q and %q, error %v", part.Version, whole.Version, err)
	}
	if len(whole.Splits) != 1 || len(whole.Splits[0]) != 2 || len(part.Splits) != 1 || len(part.Splits[0]) != 1 {
		t.Errorf("splits %q and %q", whole.Splits, part.Splits)
	}
}

// A LocalCheckpoint ends it, too, when its lineage is cut, and no task reads files for it.
func TestALocalCheckpointEndsIndeterminacyWhenItIsCut(t *testing.T) {
	inv, err := storedHalf.With(0).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	l := inv.Lineage
	for _, cut := range []bool{false, true} {
		d := &dataset{what: inv, kept: map[int]*kept{checkpointOf(t, l): {checkpoint: &checkpoint{local: true, cut: cut}, missing: 1}}}
		g := plan(d, l, l.Last(), make([][][]byte, 1), func() int32 { return 0 })[0]
		nodes := g.persistedNodes()
		if g.indeterminate == cut || len(nodes) != 1 || nodes[0].GetLocalCheckpoint() != cut || nodes[0].GetCheckpoint() != "" {
			t.Errorf("cut %t: indeterminate %t, nodes %v", cut, g.indeterminate, nodes)
		}
	}
}

// What is read from files has the same records each time.
func TestACheckpointEndsIndeterminacy(t *testing.T) {
	inv, err := storedHalf.With(0).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	l, k := inv.Lineage, &kept{checkpoint: &checkpoint{}}
	d := &dataset{kept: map[int]*kept{checkpointOf(t, l): k}}
	for _, folder := range []string{"", "/c"} {
		k.checkpoint.folder = folder
		next := func() int32 { return 0 }
		if g := plan(d, l, l.Last(), make([][][]byte, 1), next)[0]; g.indeterminate != (folder == "") {
			t.Errorf("in the folder %q: indeterminate %t", folder, g.indeterminate)
		}
	}
}
