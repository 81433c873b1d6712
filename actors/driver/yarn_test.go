package driver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/yarnscheduler"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// In client mode the driver submits itself; an application that YARN does not take fails the jobs with its reason.
func TestADriverThatYARNDoesNotTakeFailsItsJobs(t *testing.T) {
	w := rpctest.New(t, 1)
	r := &rig{World: w, t: t, env: w.Env("Driver", nil)}
	var err error
	r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", YARN: &driver.YARN{
		ResourceManager: rpcenv.Address{Host: "10.9.9.9", Port: 8032},
		Submission:      &yarnclient.Submission{Mode: submit.Client, Program: "p", Library: "l", Files: noFiles{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "YARN did not take the application. Diagnostics message: no ResourceManager answers at 10.9.9.9:8032"
	if err := run(r, numbers.With(3)).failure(); !strings.Contains(err, want) {
		t.Error(err)
	}
}

// noFiles is never asked: the test's submissions do not come so far.
type noFiles struct{ yarnclient.Files }

// A driver whose ApplicationMaster does not hear of its end gives its application up. It leaves no YarnClient behind.
func TestADriverWithoutAnApplicationMasterGivesItsApplicationUp(t *testing.T) {
	for _, k := range []struct{ heard, fails bool }{{false, false}, {false, true}, {true, false}} {
		w := rpctest.New(t, 1)
		env := w.Env("Driver", nil)
		d, err := driver.Start(env, driver.Config{AppName: "test", YARN: &driver.YARN{}})
		if err != nil {
			t.Fatal(err)
		}
		client, asker := w.ProbeIn(env, yarnclient.Name), w.ProbeIn(env, "Asker")
		if k.heard {
			am := w.ProbeIn(w.ClientEnv("AM", nil), "YarnAM")
			am.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
				q, ok := m.(*app.RequestExecutors)
				if ok {
					rpcenv.Reply(c, q, &rpc.Bool{Value: true})
				}
				return ok
			})
			am.Send(env.Ref(env.Address(), yarnscheduler.Name), &app.RegisterClusterManager{Am: am.Ref.Proto()})
			w.Settle()
		}
		gaveUp, want := 0, 1
		if k.heard {
			want = 0
		}
		client.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(yarnclient.GiveUp)
			switch {
			case !ok:
				return false
			case k.fails:
				rpcenv.Fail(c, q, fmt.Errorf("%w: no way", rpcenv.ErrRefused))
			default:
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			}
			gaveUp++
			return true
		})
		env.Go("stop", func(b *rpcenv.Blocking) error {
			err = d.Stop(b)
			return nil
		})
		w.Settle()
		if gaveUp != want || errors.Is(err, rpcenv.ErrRefused) != k.fails {
			t.Errorf("given up %d times: %v", gaveUp, err)
		}
		if _, err := rpctest.Ask[*rpc.Bool](asker, client.Ref, yarnclient.GiveUp{}); !errors.Is(err, rpcenv.ErrRefusedNotFound) {
			t.Errorf("the YarnClient is still there: %v", err)
		}
	}
}

// An application whose YarnScheduler is gone has been ended before: nobody gives it up a second time.
func TestADriverThatHasEndedGivesNothingUp(t *testing.T) {
	w := rpctest.New(t, 1)
	r := &rig{World: w, t: t, env: w.Env("Driver", nil)}
	var err error
	if r.driver, err = driver.Start(r.env, driver.Config{AppName: "test", YARN: &driver.YARN{}}); err != nil {
		t.Fatal(err)
	}
	client := w.ProbeIn(r.env, yarnclient.Name)
	r.env.Stop(yarnscheduler.Name)
	r.Settle()
	if err := r.stop(0); err != nil || len(client.Waiting()) > 0 {
		t.Errorf("%v; the YarnClient got %v", err, client.Waiting())
	}
}
