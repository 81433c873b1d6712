package measure

import "context"

// Contender carries messages from one side to the other.
type Contender interface {
	// Name is how the report calls it.
	Name() string
	// Version is that of the library, or empty.
	Version() string
	// Serve is the receiving side of a remote mode: from now until stop is called it hands what comes in at the address,
	// a free port of loopback, to sink, and sends back what sink says.
	Serve(spec *Spec, sink *Sink) (address string, stop func(), err error)
	// Run is the sending side. It returns when the trial is over, or with the reason why it does not end; then nothing that it
	// started goes on.
	Run(ctx context.Context, t *Trial) error
}

// Trial is what a contender runs: Tell or Ask is set, as Spec.Mode says.
type Trial struct {
	Spec *Spec
	Tell *Tell
	Ask  *Ask
	// Sink is the other side of a local mode.
	Sink *Sink
	// Address is that of the other side of a remote mode.
	Address string
}

func newTrial(spec *Spec, address string) (*Trial, error) {
	t := &Trial{Spec: spec, Address: address}
	var err error
	if spec.Mode.Ask() {
		t.Ask, err = NewAsk(spec)
	} else {
		t.Tell, err = NewTell(spec)
	}
	if err == nil && !spec.Mode.Remote() {
		t.Sink, err = NewSink(spec)
	}
	return t, err
}

func (t *Trial) sender() *batch {
	if t.Ask != nil {
		return &t.Ask.batch
	}
	return &t.Tell.batch
}
