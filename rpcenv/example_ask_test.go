package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// The messages of a library, within one process. Those between processes are made from a proto file; then ReplyType is
// generated.
type (
	borrow struct {
		rpcenv.Local
		title string
	}
	lent struct {
		rpcenv.Local
		title string
	}
	giveBack struct {
		rpcenv.Local
		title string
	}
)

// ReplyType makes the compiler check that a borrow is answered by a lent.
func (borrow) ReplyType() lent { return lent{} }

// library lends each book once. A reader that asks for a lent one waits for it.
type library struct {
	books   []string
	out     []string
	waiting map[string][]rpcenv.Call[lent]
}

var errNoSuchBook = rpcenv.NewRefusal("library.no-such-book", "the library has no such book")

func (l *library) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case borrow:
		l.borrow(c, m)
	case giveBack:
		l.giveBack(m)
	default:
		c.Unsupported(m)
	}
}

func (l *library) borrow(c *rpcenv.Context, m borrow) {
	switch {
	case !slices.Contains(l.books, m.title):
		rpcenv.Fail(c, m, fmt.Errorf("%w: %s", errNoSuchBook, m.title))
	case slices.Contains(l.out, m.title):
		l.waiting[m.title] = append(l.waiting[m.title], rpcenv.Defer(c, m))
	default:
		l.out = append(l.out, m.title)
		rpcenv.Reply(c, m, lent{title: m.title})
	}
}

func (l *library) giveBack(m giveBack) {
	if waiting := l.waiting[m.title]; len(waiting) > 0 {
		waiting[0].Reply(lent{title: m.title})
		l.waiting[m.title] = waiting[1:]
		return
	}
	l.out = slices.DeleteFunc(l.out, func(title string) bool { return title == m.title })
}

// reader borrows books as it starts.
type reader struct {
	name    string
	library rpcenv.Ref
	titles  []string
	opts    []rpcenv.AskOption
}

func (r *reader) OnStart(c *rpcenv.Context) {
	for _, title := range r.titles {
		rpcenv.Ask(c, r.library, borrow{title: title}, func(l lent, err error) {
			if err != nil {
				fmt.Printf("%s: %v (no such book: %t)\n", r.name, err, errors.Is(err, errNoSuchBook))
				return
			}
			fmt.Println(r.name, "reads", l.title)
		}, r.opts...)
	}
}

func (r *reader) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// withLibrary makes a library of one book and registers a reader after the other.
func withLibrary(w *sim.World, readers ...*reader) (env *rpcenv.Env, ref rpcenv.Ref) {
	env = house(w)
	ref, err := env.Register("Library", &library{books: []string{"Walden"}, waiting: map[string][]rpcenv.Call[lent]{}})
	if err != nil {
		panic(err)
	}
	for _, r := range readers {
		r.library = ref
		if _, err := env.Register(r.name, r); err != nil {
			panic(err)
		}
		w.Settle()
	}
	return env, ref
}

// An ask goes on at once; its continuation runs later in the asker's inbox, once, with the answer or the reason why there
// is none.
func ExampleAsk() {
	w := sim.New(1, 0)
	defer w.Close()
	withLibrary(w, &reader{name: "Ada", titles: []string{"Walden"}})
	// Output:
	// Ada reads Walden
}

// A refusal keeps its identity, also between processes: the asker finds it by errors.Is.
func ExampleNewRefusal() {
	w := sim.New(1, 0)
	defer w.Close()
	withLibrary(w, &reader{name: "Ada", titles: []string{"Ulysses"}})
	// Output:
	// Ada: the library has no such book: Ulysses (no such book: true)
}

// A handler that cannot answer yet keeps the ask in its state.
func ExampleDefer() {
	w := sim.New(1, 0)
	defer w.Close()
	env, library := withLibrary(w, &reader{name: "Ada", titles: []string{"Walden"}}, &reader{name: "Bob", titles: []string{"Walden"}})
	fmt.Println("Ada is done")
	if err := env.Send(library, giveBack{title: "Walden"}); err != nil {
		fmt.Println(err)
	}
	w.Settle()
	// Output:
	// Ada reads Walden
	// Ada is done
	// Bob reads Walden
}

// gong strikes once, and then answers all earlier asks with the time.
type gong struct {
	waiting []rpcenv.Call[*timestamppb.Timestamp]
}

func (g *gong) OnStart(c *rpcenv.Context) { c.After(time.Hour, noon{}) }

type noon struct{ rpcenv.Local }

func (g *gong) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue: // an ask, by AskAs: an ordinary protobuf message says nothing of its answer
		g.waiting = append(g.waiting, rpcenv.DeferAs[*timestamppb.Timestamp](c, m))
	case noon:
		for _, call := range g.waiting {
			call.Reply(timestamppb.New(c.Now()))
		}
	default:
		c.Unsupported(m)
	}
}

// An ask that is any protobuf message is kept in the same way; its asker uses AskAs or AskWaitAs.
func ExampleDeferAs() {
	w := sim.New(1, 0)
	defer w.Close()
	env := house(w)
	ref, err := env.Register("Gong", &gong{})
	if err != nil {
		panic(err)
	}
	env.Go("program", func(b *rpcenv.Blocking) error {
		at, err := rpcenv.AskWaitAs[*timestamppb.Timestamp](b, ref, wrapperspb.String("when?"), rpcenv.Timeout("patience", 2*time.Hour))
		fmt.Println(at.AsTime().Format(time.TimeOnly), err)
		return err
	})
	w.Advance(time.Hour)
	// Output:
	// 01:00:00 <nil>
}

// The failure of an ask that took too long names the setting that controls the time.
func ExampleTimeout() {
	w := sim.New(1, 0)
	defer w.Close()
	withLibrary(w, &reader{name: "Ada", titles: []string{"Walden"}},
		&reader{name: "Bob", titles: []string{"Walden"}, opts: []rpcenv.AskOption{rpcenv.Timeout("library.patience", time.Hour)}})
	w.Advance(time.Hour)
	// Output:
	// Ada reads Walden
	// Bob: timed out: borrow to Library: Cannot receive any reply from 10.0.0.1:7077 in 3600 seconds. This timeout is controlled by library.patience (no such book: false)
}

// A program, which is no endpoint, asks and waits. The same code runs in a process.
func ExampleAskWait() {
	w := sim.New(1, 0)
	defer w.Close()
	ref, client := twoEnvs(w)
	client.Go("program", func(b *rpcenv.Blocking) error {
		known, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{Name: "Ada"})
		fmt.Println(known.GetValue(), err)
		return err
	})
	w.Settle()
	// Output:
	// false <nil>
}
