package rpcenv_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// ip is an address that Envs of a world can listen at.
func (w *world) ip() string {
	if w.sim != nil {
		return "10.0.0.1"
	}
	return "127.0.0.1"
}

// settings are a Conf of keys and values.
func settings(t *testing.T, pairs ...string) *conf.Conf {
	t.Helper()
	all := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	c, err := conf.New(all)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAnEnvAdvertisesItsHostUnlessToldAnother(t *testing.T) {
	inWorlds(t, func(w *world) {
		listen := rpcenv.Address{Host: w.ip()}
		one := w.makeAt(rpcenv.Config{Name: "A", Listen: listen}, w.ip())
		other := w.makeAt(rpcenv.Config{Name: "B", Listen: listen, Advertise: "b.example"}, w.ip())
		if one.Address().Host != w.ip() || other.Address().Host != "b.example" || other.Address().Port == 0 {
			t.Error(one.Address(), other.Address())
		}
	})
}

func TestPortZeroIsAnyFreePort(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		if a.Address().Port == 0 || b.Address().Port == 0 || a.Address() == b.Address() {
			t.Error(a.Address(), b.Address())
		}
	})
}

func TestATakenPortIsTriedAgainWithTheNext(t *testing.T) {
	inWorlds(t, func(w *world) {
		taken := w.env("A").Address()
		ip := taken.Host
		log, hook := test.NewNullLogger()
		second := w.makeAt(rpcenv.Config{Name: "B", Listen: taken, Log: logrus.NewEntry(log)}, ip)
		if p := second.Address().Port; p <= taken.Port || p > taken.Port+16 {
			t.Errorf("%d is taken, B listens at %d", taken.Port, p)
		}
		want := "Service 'B' could not bind on port "
		if e := hook.AllEntries(); len(e) != second.Address().Port-taken.Port || !strings.HasPrefix(e[0].Message, want) || e[0].Level != logrus.WarnLevel {
			t.Error("the log says", len(e), "lines")
		}
		e, err := rpcenv.New(w.hostOf("C", ip), rpcenv.Config{Name: "C", Listen: taken, Conf: settings(t, "spark.port.maxRetries", "0")})
		if e != nil || !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), taken.String()) {
			t.Errorf("no port is left: %v, %v", e, err)
		}
	})
}

func TestAnEndpointHasAName(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	if ref, err := e.Register("", double(w)); err == nil {
		t.Error(ref)
	}
	if _, _, err := rpcenv.ParseURI("spark://@" + e.Address().String()); !errors.Is(err, rpcenv.ErrInvalidURL) {
		t.Error(err)
	}
	if err := e.Send(rpcenv.Ref{Address: e.Address()}, say{}); err != nil || len(w.drops()) != 1 {
		t.Error("a message to nobody is an event:", err, w.drops())
	}
}

func TestANameIsTakenOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ref := w.register(e, "X", double(w))
		_, err := e.Register("X", &endpoint{start: func(*rpcenv.Context) { t.Error("it is started") }})
		if !errors.Is(err, rpcenv.ErrNameTaken) || !strings.Contains(err.Error(), "There is already an RpcEndpoint called X") {
			t.Error(err)
		}
		w.do(e, func(b *rpcenv.Blocking) { // the first one goes on
			if r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(2)); err != nil || r.GetValue() != 4 {
				t.Error(r, err)
			}
		})
	})
}

// Spark's self is null in onStop; here it is known from OnStart to OnStop.
func TestSelfIsKnownFromOnStartToOnStop(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := noting(w)
		check := func(c *rpcenv.Context, where string) {
			if want := (rpcenv.Ref{Address: e.Address(), Name: "E"}); c.Self() != want {
				t.Errorf("%s: %v, want %v", where, c.Self(), want)
			}
			w.note("%s", where)
		}
		ep.start = func(c *rpcenv.Context) {
			check(c, "start")
			c.Send(c.Self(), say{text: "from OnStart"})
		}
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			check(c, m.(say).text)
			if m.(say).text == "from OnStart" {
				c.Send(c.Self(), say{text: "after the stop"})
				c.Stop()
			}
		}
		ep.stop = func(c *rpcenv.Context) {
			c.Send(c.Self(), say{text: "from OnStop"})
			check(c, "stop")
		}
		w.register(e, "E", ep)
		w.await("stop")
		w.close(e)
		w.wantLog("start", "from OnStart", "after the stop", "stop")
		if d := w.drops(); len(d) != 1 || !strings.Contains(d[0], "Could not find E.") {
			t.Error("what OnStop sends to its own endpoint is an event:", d)
		}
	})
}

func TestALookUpThatFindsNobodyNamesTheURI(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.client("B")
		uri := "spark://Nobody@" + a.Address().String()
		w.do(b, func(b *rpcenv.Blocking) {
			_, err := rpcenv.ResolveWait(b, uri)
			if !errors.Is(err, rpcenv.ErrRefusedNotFound) || !strings.Contains(err.Error(), "Cannot find endpoint: "+uri) {
				t.Error(err)
			}
		})
	})
}

func TestTheTimeOfALookUpIsASetting(t *testing.T) {
	for _, x := range []struct {
		key, value, want string
	}{
		{"spark.rpc.lookupTimeout", "7s", "in 7 seconds. This timeout is controlled by spark.rpc.lookupTimeout"},
		{"spark.network.timeout", "20s", "in 20 seconds. This timeout is controlled by spark.network.timeout"},
		{"spark.rpc.askTimeout", "3s", "in 120 seconds. This timeout is controlled by spark.rpc.lookupTimeout"},
	} {
		w := inSim(t)
		a, b := w.env("A"), w.make("B", true, settings(t, x.key, x.value))
		ref := w.register(a, "E", double(w))
		w.do(b, func(b *rpcenv.Blocking) { _, _ = rpcenv.ResolveWait(b, ref.String()) })
		w.apply("drop B->A:CheckExistence") // a cut would end the connection in the same time
		w.do(b, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.ResolveWait(b, ref.String()); !errors.Is(err, rpcenv.ErrUnreachableTimeout) || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: %v", x.key, err)
			}
		})
	}
}

// RpcEnv.deserialize: a reference in bytes that were kept means the endpoint, whatever Env reads it.
func TestAReferenceIsKeptAsBytes(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.env("A")
		kept, err := proto.Marshal(w.register(a, "E", double(w)).Proto())
		if err != nil {
			t.Fatal(err)
		}
		b := w.env("B")
		reader := w.register(b, "E", doer())
		w.in(b, reader, func(c *rpcenv.Context) {
			var p rpc.EndpointRef
			if err := proto.Unmarshal(kept, &p); err != nil {
				t.Error(err)
			}
			rpcenv.AskAs(c, c.Ref(&p), num(4), func(r *wrapperspb.Int32Value, err error) { w.note("%d %v", r.GetValue(), err) })
		})
		w.await("8 <nil>")
	})
}

func TestAStopIsNotWaitedFor(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	w.register(e, "E", noting(w))
	w.await("OnStart")
	if !e.Stop("E") || e.Stop("E") {
		t.Error("there is one to stop, once")
	}
	w.wantLog("OnStart")
	w.quiet()
	w.wantLog("OnStart", "OnStop")
}

// receiver is an endpoint with nothing but what it must have.
type receiver struct{ w *world }

func (r *receiver) Receive(c *rpcenv.Context, m rpcenv.Message) {
	r.w.note("received")
	c.Unsupported(m)
}

func TestAnEndpointMayHaveReceiveOnly(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &receiver{w})
		w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("x")) })
		w.await("received")
		w.close(b)
		w.close(a)
		w.wantLog("received")
	})
}

// watchAll is an endpoint that hears of everything, by the names of Spark's callbacks.
type watchAll struct{ *watcher }

func (e watchAll) OnError(_ *rpcenv.Context, err error) { e.w.note("OnError") }

func TestEachCallbackIsCalledForItsEvent(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		gone := w.env("Gone")
		w.close(gone)
		ep := watchAll{&watcher{w: w}}
		ep.start = func(*rpcenv.Context) { w.note("OnStart") }
		ep.stop = func(*rpcenv.Context) { w.note("OnStop") }
		ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			switch m := m.(type) {
			case *wrapperspb.StringValue:
				w.note("receive")
			case *wrapperspb.Int32Value:
				w.note("receiveAndReply")
				rpcenv.ReplyAs(c, m, m)
			default:
				panic("onError")
			}
		}
		ref := w.register(a, "E", ep)
		w.do(b, func(b *rpcenv.Blocking) {
			_ = b.Send(ref, text("x"))
			_, _ = rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1))
			_ = b.Send(ref, &rpc.Bool{})
		})
		w.await("OnError")
		w.close(b)
		w.await("A: disconnected " + b.Address().String())
		w.do(a, func(b *rpcenv.Blocking) { _ = b.Send(rpcenv.Ref{Address: gone.Address(), Name: "E"}, text("x")) })
		w.await("A: network error " + gone.Address().String())
		a.Stop("E")
		w.await("OnStop")
		at := b.Address().String()
		w.wantLog("OnStart", "A: connected "+at, "receive", "receiveAndReply", "OnError", "A: disconnected "+at,
			"A: network error "+gone.Address().String(), "OnStop")
	})
}

func TestShutdownIsOverWhenAllEndpointsHaveStopped(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "E", noting(w))
	e.OnDone(func() { w.note("terminated") })
	for _, s := range []string{"1", "2", "3"} {
		if err := e.Send(ref, say{text: s}); err != nil {
			t.Error(err)
		}
	}
	e.Shutdown()
	e.Shutdown()
	if slices.Contains(w.noted(), "terminated") {
		t.Error("it does not wait")
	}
	w.sim.Advance(time.Second)
	w.wantLog("OnStart", "1", "2", "3", "OnStop", "terminated")
}
