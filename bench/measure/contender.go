package measure

import (
	"context"
	"fmt"
	"slices"
)

// Contender carries messages from one side to the other.
type Contender interface {
	// Name is how the report calls it.
	Name() string
	// Version is that of the library, or empty.
	Version() string
	// Cases are what it can do; it is asked for no other.
	Cases() []Case
	// Serve starts the receiving side of a remote case at a free port of Spec.ListenHost. Until stop is called it hands arriving messages
	// to the sinks and sends back what they return. There are Spec.Receivers sinks; operations have one, which counts them.
	Serve(spec *Spec, sinks []*Sink) (address string, stop func(), err error)
	// Run is the sending side. It returns when the trial is over, or with the reason why it does not end; then nothing that it
	// started goes on.
	Run(ctx context.Context, t *Trial) error
}

// Extras says what a contender can do besides one pair in a closed loop on one machine.
type Extras struct {
	// Pairs: several pairs of one case; FanIn and FanOut need it.
	Pairs bool `json:"pairs,omitempty"`
	// Rate: an open loop, for which it calls Trial.Pace.
	Rate bool `json:"rate,omitempty"`
	// Host: two machines, for which its sides listen at Spec.ListenHost.
	Host bool `json:"host,omitempty"`
}

// Extra is a Contender that can do more than one pair in a closed loop.
type Extra interface {
	Contender
	Extras() Extras
}

// Named is a contender's name, its version and what it can do.
type Named struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Cases   []Case `json:"cases"`
	// NoAllocs says that its runtime does not count allocations: then Usage.Mallocs means nothing.
	NoAllocs bool `json:"no_allocs,omitempty"`
	Extras
}

// NameOf returns how a contender names itself, and what it can do.
func NameOf(c Contender) Named {
	n := Named{Name: c.Name(), Version: c.Version(), Cases: c.Cases()}
	if e, ok := c.(Extra); ok {
		n.Extras = e.Extras()
	}
	return n
}

// Does reports whether the contender can do c.
func (n Named) Does(c Case) bool { return slices.Contains(n.Cases, c) }

// Refuses is why the contender cannot do what spec wants; empty if it can.
func (n Named) Refuses(spec *Spec) string {
	switch {
	case !n.Does(spec.Case):
		return fmt.Sprintf("it does not do %s", spec.Case)
	case spec.Pairs > 1 && !n.Pairs && !spec.Case.Peers():
		return fmt.Sprintf("it has one pair, not %d", spec.Pairs)
	case spec.Rate > 0 && !n.Rate:
		return "it does not keep a rate"
	case spec.Host != "" && !n.Host:
		return "it has both sides on one machine"
	}
	return ""
}
