package measure

import "context"

// Trial is what a contender runs: Tells, Asks or Ops is set, as the case's Kind says.
type Trial struct {
	Spec *Spec
	// Tells and Asks are one for each pair. The methods of one are called one at a time, those of different ones beside each other.
	Tells []*Tell
	Asks  []*Ask
	// Ops is one, whatever the pairs are.
	Ops *Ops
	// Sinks are the other side of a local case, Spec.Receivers of them.
	Sinks []*Sink
	// Address is that of the other side of a remote case.
	Address string

	group *group
	marks *marks // to the other side of a remote case of operations
}

// newTrial makes a trial. If it has to end because its sides lose each other, fail is called. The caller closes it.
func newTrial(ctx context.Context, cmd *RunCommand, fail func(error)) (*Trial, error) {
	spec := &cmd.Spec
	t := &Trial{Spec: spec, Address: cmd.Address, group: newGroup(spec)}
	var err error
	if !spec.Case.Remote() {
		if t.Sinks, err = newSinks(spec); err != nil {
			return nil, err
		}
	}
	switch spec.Case.Kind() {
	case KindAsk:
		t.Asks, err = pairs(t.group, newAsk)
	case KindTell:
		t.Tells, err = pairs(t.group, newTell)
	default:
		if t.Ops, err = newOps(t.group); err != nil {
			return nil, err
		}
		if t.Sinks != nil {
			t.group.mark = t.Sinks[0].mark
		} else if t.marks, err = dialMarks(ctx, cmd.Marks, fail); err == nil {
			t.group.mark = t.marks.mark
		}
	}
	return t, err
}

// pairs makes one sending side for each pair.
func pairs[T any](g *group, one func(*group) (T, error)) ([]T, error) {
	all := make([]T, g.spec.Pairs)
	for i := range all {
		var err error
		if all[i], err = one(g); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (t *Trial) close() {
	if t.marks != nil {
		t.marks.close()
	}
}
