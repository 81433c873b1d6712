package rpcenv_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func TestBodiesOfOneLaneRunInOrderOneAtATime(t *testing.T) {
	inWorlds(t, func(w *world) {
		const n = 20
		e := w.env("A")
		server := w.register(e, "E", double(w))
		ref := w.register(e, "Runner", doer())
		inside := 0
		var order []int
		w.in(e, ref, func(c *rpcenv.Context) {
			for i := range n {
				rpcenv.Run(c, "lane", func(b *rpcenv.Blocking) (int, error) {
					if inside++; inside != 1 {
						t.Error("two bodies of one lane")
					}
					r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, server, num(int32(i)))
					inside--
					return int(r.GetValue()), err
				}, func(r int, err error) {
					if err != nil {
						t.Error(err)
					}
					if order = append(order, r/2); len(order) == n {
						w.note("all")
					}
				})
			}
		})
		w.await("all")
		if !slices.IsSorted(order) {
			t.Error(order)
		}
	})
}

func TestBodiesOfTheEmptyLaneRunSideBySide(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ref := w.register(e, "Runner", doer())
		var wakeFirst func()
		w.in(e, ref, func(c *rpcenv.Context) {
			rpcenv.Run(c, "", func(b *rpcenv.Blocking) (string, error) {
				return "first", b.Wait(func(wake func()) {
					wakeFirst = wake
					_ = b.Send(ref, do{f: func(c *rpcenv.Context) {
						rpcenv.Run(c, "", func(*rpcenv.Blocking) (string, error) {
							wakeFirst()
							return "second", nil
						}, func(s string, err error) { w.note("%s %v", s, err) })
					}})
				})
			}, func(s string, err error) { w.note("%s %v", s, err) })
		})
		w.await("first <nil>")
		w.await("second <nil>")
	})
}

func TestAPanicOfABodyIsItsError(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ref := w.register(e, "Runner", doer())
		w.in(e, ref, func(c *rpcenv.Context) {
			rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) { panic("boom") }, func(_ int, err error) { w.note("%v", err) })
			rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) { panic(errFull) }, func(_ int, err error) {
				w.note("its value: %v", errors.Is(err, errFull))
			})
		})
		w.await("panic: boom")
		w.await("its value: true")
		job := e.Go("job", func(*rpcenv.Blocking) error { panic("job") })
		if w.sim != nil {
			w.quiet()
		}
		<-job.Done()
		if job.Err() == nil || job.Err().Error() != "panic: job" {
			t.Error(job.Err())
		}
	})
}

func TestBodiesAreCancelledAtOnStop(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ep := doer()
		ep.stop = func(*rpcenv.Context) { w.note("OnStop") }
		ref := w.register(e, "Runner", ep)
		w.in(e, ref, func(c *rpcenv.Context) {
			for _, lane := range []string{"", "lane", "lane"} {
				rpcenv.Run(c, lane, func(b *rpcenv.Blocking) (int, error) {
					err := b.Wait(func(func()) { w.note("waits") })
					w.note("stopped %v, done %v, context %v", errors.Is(err, rpcenv.ErrStopped), b.Done(), b.Context().Err())
					return 0, err
				}, func(int, error) { w.note("then") })
			}
		})
		w.awaitLines(2) // the third waits for its lane
		e.Stop("Runner")
		w.awaitLines(5)
		w.close(e)
		got := w.noted()
		slices.Sort(got)
		ended := "stopped true, done true, context context canceled"
		if want := []string{"OnStop", ended, ended, "waits", "waits"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestARunCanBeCancelled(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		ref := w.register(e, "Runner", doer())
		var cancel func()
		w.in(e, ref, func(c *rpcenv.Context) {
			cancel = rpcenv.Run(c, "", func(b *rpcenv.Blocking) (string, error) {
				return "what it makes of it", b.Wait(func(func()) { w.note("waits") })
			}, func(s string, err error) { w.note("%s: %v", s, err) })
		})
		w.await("waits")
		w.in(e, ref, func(*rpcenv.Context) {
			cancel()
			cancel()
		})
		w.await("what it makes of it: rpcenv: stopped")
	})
}

// The first wait after the end returns ErrStopped; the second ends the body.
func TestABodyThatIgnoresItsEndIsEnded(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		job := e.Go("stubborn", func(b *rpcenv.Blocking) error {
			for {
				_ = b.Wait(func(func()) { w.note("waits") })
			}
		})
		w.await("waits")
		w.close(e)
		if w.sim != nil {
			w.quiet()
		}
		<-job.Done()
		if !errors.Is(job.Err(), rpcenv.ErrStopped) {
			t.Error(job.Err())
		}
	})
}

func TestABodyThatIgnoresItsEndCannotHangTheEndOfAWorld(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "Runner", doer())
	for range 3 {
		e.Go("stubborn", func(b *rpcenv.Blocking) error {
			for {
				_ = b.Sleep(time.Second)
			}
		})
	}
	w.in(e, ref, func(c *rpcenv.Context) {
		rpcenv.Run(c, "", func(b *rpcenv.Blocking) (int, error) {
			for {
				_, _ = rpcenv.AskWait(b, e.Ref(rpcenv.Address{Host: "10.9.9.9", Port: 1}, "Nobody"), &rpc.CheckExistence{})
			}
		}, func(int, error) {})
	})
	w.sim.Advance(10 * time.Second)
	w.crashed[e] = true
	e.Go("not begun", func(*rpcenv.Blocking) error { return nil })
	w.sim.Close()
	if !w.sim.Quiet() {
		t.Error("something is under way after the end")
	}
}

func TestALaneIsBounded(t *testing.T) {
	w := inSim(t)
	e := w.env("A")
	ref := w.register(e, "Runner", doer())
	refused := 0
	w.in(e, ref, func(c *rpcenv.Context) {
		for range 10_003 {
			rpcenv.Run(c, "lane", func(*rpcenv.Blocking) (int, error) { return 0, nil }, func(_ int, err error) {
				if errors.Is(err, rpcenv.ErrUnreachableOverloaded) {
					refused++
				}
			})
		}
		if refused != 0 {
			t.Error("called within the handler")
		}
	})
	w.quiet()
	if refused != 2 {
		t.Error(refused, "bodies were refused")
	}
}

func TestRunAtOnStopIsCancelledFromTheBeginning(t *testing.T) {
	inWorlds(t, func(w *world) {
		e := w.env("A")
		w.register(e, "E", &endpoint{stop: func(c *rpcenv.Context) {
			rpcenv.Run(c, "", func(b *rpcenv.Blocking) (int, error) {
				w.note("%v", b.Sleep(time.Hour))
				return 0, nil
			}, func(int, error) { w.note("then") })
		}})
		e.Stop("E")
		w.await("rpcenv: stopped")
	})
}

func TestGoRunsAProgram(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.client("B")
		ref := w.register(a, "E", double(w))
		job := b.Go("program", func(b *rpcenv.Blocking) error {
			found, err := rpcenv.ResolveWait(b, ref.String())
			if err != nil {
				return err
			}
			if err := b.Sleep(time.Microsecond); err != nil {
				return err
			}
			r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, found, num(5))
			return fmt.Errorf("%d %w", r.GetValue(), err)
		})
		job.OnDone(func(err error) { w.note("%v", err) })
		w.await("10 %!w(<nil>)")
		job.OnDone(func(err error) { w.note("again") })
		w.await("again")
		stopped := b.Go("stopped", func(b *rpcenv.Blocking) error { return b.Wait(func(func()) { w.note("waits") }) })
		w.await("waits")
		stopped.Stop()
		if w.sim != nil {
			w.quiet()
		}
		<-stopped.Done()
		if !errors.Is(stopped.Err(), rpcenv.ErrStopped) {
			t.Error(stopped.Err())
		}
	})
}

func TestBlockingIsForAnOrdinaryGoroutine(t *testing.T) {
	for _, kind := range []string{"memory", "tcp"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, kind)
			a, client := w.env("A"), w.client("B")
			ref := w.register(a, "E", double(w))
			ctx, cancel := context.WithCancel(t.Context())
			b := client.Blocking(ctx)
			r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, ref, num(5))
			if err != nil || r.GetValue() != 10 {
				t.Error(r, err)
			}
			cancel()
			if err := b.Sleep(time.Hour); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

// Whatever an ordinary goroutine waits for ends with its context, and says why that ended.
func TestAWaitReturnsTheCauseOfItsContext(t *testing.T) {
	stopOfB := errors.New("the user pressed a key")
	for what, wait := range map[string]func(b *rpcenv.Blocking, ref rpcenv.Ref) error{
		"AskWait": func(b *rpcenv.Blocking, ref rpcenv.Ref) error {
			_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1), rpcenv.Timeout("none", time.Hour))
			return err
		},
		"ResolveWait": func(b *rpcenv.Blocking, ref rpcenv.Ref) error {
			<-b.Context().Done()
			_, err := rpcenv.ResolveWait(b, ref.String())
			return err
		},
		"Sleep": func(b *rpcenv.Blocking, _ rpcenv.Ref) error { return b.Sleep(time.Hour) },
		"Wait":  func(b *rpcenv.Blocking, _ rpcenv.Ref) error { return b.Wait(func(func()) {}) },
		"Send": func(b *rpcenv.Blocking, ref rpcenv.Ref) error {
			<-b.Context().Done()
			return b.Send(ref, num(1))
		},
		"Context": func(b *rpcenv.Blocking, _ rpcenv.Ref) error {
			<-b.Context().Done()
			return context.Cause(b.Context())
		},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t, "memory")
			a := w.env("A")
			ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.DeferAs[rpcenv.Message](c, m) }})
			for want, end := range map[error]func() (context.Context, func()){
				context.DeadlineExceeded: func() (context.Context, func()) { return context.WithTimeout(t.Context(), time.Millisecond) },
				context.Canceled: func() (context.Context, func()) {
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Millisecond, cancel)
					return ctx, cancel
				},
				stopOfB: func() (context.Context, func()) {
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(time.Millisecond, func() { cancel(stopOfB) })
					return ctx, func() { cancel(nil) }
				},
			} {
				ctx, cancel := end()
				b := a.Blocking(ctx)
				if err := wait(b, ref); !errors.Is(err, want) || errors.Is(err, rpcenv.ErrStopped) {
					t.Errorf("%v, want %v", err, want)
				}
				b.Close()
				cancel()
			}
			// The end of the Env, or of the Blocking, is no end of the context.
			b := a.Blocking(t.Context())
			b.Close()
			if err := wait(b, ref); !errors.Is(err, rpcenv.ErrStopped) {
				t.Error(err)
			}
		})
	}
}
