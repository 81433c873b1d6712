package measure

import "context"

// Contender carries messages from one side to the other.
type Contender interface {
	// Name is how the report calls it.
	Name() string
	// Version is that of the library, or empty.
	Version() string
	// Cases are what it can do; it is asked for no other.
	Cases() []Case
	// Serve is the receiving side of a remote case: from now until stop is called it hands what comes in at the address,
	// a free port of loopback, to the sinks, and sends back what they say. There are Spec.Receivers sinks; operations have one, which
	// counts them.
	Serve(spec *Spec, sinks []*Sink) (address string, stop func(), err error)
	// Run is the sending side. It returns when the trial is over, or with the reason why it does not end; then nothing that it
	// started goes on.
	Run(ctx context.Context, t *Trial) error
}

// Trial is what a contender runs: Tells, Asks or Ops is set, as the case's Kind says.
type Trial struct {
	Spec *Spec
	// Tells and Asks are one for each pair. The methods of one are called one at a time, those of different ones beside each other.
	Tells []*Tell
	Asks  []*Ask
	Ops   *Ops
	// Sinks are the other side of a local case, Spec.Receivers of them.
	Sinks []*Sink
	// Address is that of the other side of a remote case.
	Address string
}

func newTrial(spec *Spec, address string) (*Trial, error) {
	t := &Trial{Spec: spec, Address: address}
	var err error
	switch spec.Case.Kind() {
	case KindAsk:
		t.Asks = make([]*Ask, 1)
		t.Asks[0], err = NewAsk(spec)
	case KindTell:
		t.Tells = make([]*Tell, 1)
		t.Tells[0], err = NewTell(spec)
	default:
		t.Ops, err = NewOps(spec)
	}
	if err == nil && !spec.Case.Remote() {
		t.Sinks, err = newSinks(spec)
	}
	return t, err
}

func newSinks(spec *Spec) ([]*Sink, error) {
	sinks := make([]*Sink, spec.Receivers())
	for i := range sinks {
		var err error
		if sinks[i], err = NewSink(spec); err != nil {
			return nil, err
		}
	}
	return sinks, nil
}

func (t *Trial) sender() *batch {
	switch t.Spec.Case.Kind() {
	case KindAsk:
		return &t.Asks[0].batch
	case KindTell:
		return &t.Tells[0].batch
	default:
		return &t.Ops.batch
	}
}
