package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The script is about Packer, whose process stands still in between; Sender, in another one, sends as fast as it can.
func TestCreditScript(t *testing.T) {
	script.Run(t, "testdata/scripts/credit.txt", func(w *rpctest.World) script.Subject {
		server, client := w.Env("Server", nil), w.Env("Client", nil)
		p := &packer{}
		f := &flooder{to: w.Register(server, "Packer", p), env: client}
		f.self = w.Register(client, "Sender", f)
		return script.Subject{Ref: f.to, Verbs: map[string]func(string) (string, error){
			"flood": f.flood,
			"stands": func(string) (string, error) {
				w.Find("Server").Pause()
				return "", nil
			},
			"goes": func(string) (string, error) { // on
				w.Find("Server").Resume()
				return "", nil
			},
			"waits": func(string) (string, error) {
				n, bytes := waiting(client)
				return fmt.Sprintf("%d messages wait, %d bytes with those to be written, Packer has handled %d", n, bytes, p.handled), nil
			},
			"hears": f.hears,
		}}
	})
}

// The script is about Packer, whose sender is in the same Env.
func TestInboxLimitScript(t *testing.T) {
	script.Run(t, "testdata/scripts/inbox_limit.txt", func(w *rpctest.World) script.Subject {
		e := w.Env("Server", nil)
		p := &packer{}
		f := &flooder{to: w.Register(e, "Packer", p), env: e}
		f.self = w.Register(e, "Sender", f)
		return script.Subject{Ref: f.to, Omit: script.Inner, Verbs: map[string]func(string) (string, error){
			"flood": f.flood,
			"waits": func(string) (string, error) { return fmt.Sprintf("Packer has handled %d", p.handled), nil },
			"hears": f.hears,
		}}
	})
}

// packer handles all that comes.
type packer struct{ handled int }

func (p *packer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	p.handled++
	rpcenv.ReplyAs(c, m, m)
}

// flooder sends many messages in one handler, and keeps what it hears.
type flooder struct {
	env      *rpcenv.Env
	self, to rpcenv.Ref
	heard    []string
	failed   int
}

// flood is a verb: N messages|asks of SIZE.
func (f *flooder) flood(args string) (string, error) {
	var n, size int
	var what string
	if _, err := fmt.Sscanf(args, "%d %s of %d", &n, &what, &size); err != nil || what != "messages" && what != "asks" {
		return "", fmt.Errorf("flood %s: want N messages|asks of SIZE", args)
	}
	m := text(strings.Repeat("x", size))
	f.failed = 0
	return "", f.env.Send(f.self, do{f: func(c *rpcenv.Context) {
		for range n {
			if what == "messages" {
				c.Send(f.to, m)
				continue
			}
			rpcenv.AskAs(c, f.to, m, func(_ *wrapperspb.StringValue, err error) {
				if errors.Is(err, rpcenv.ErrUnreachableOverloaded) {
					f.failed++
				}
			})
		}
	}})
}

// hears is a verb: what it has heard since.
func (f *flooder) hears(string) (string, error) {
	heard := strings.Join(f.heard, "\n")
	f.heard = nil
	return heard, nil
}

func (f *flooder) Receive(c *rpcenv.Context, m rpcenv.Message) { m.(do).f(c) }

func (f *flooder) OnBehind(_ *rpcenv.Context, to rpcenv.Ref, behind bool) {
	if behind {
		f.heard = append(f.heard, to.Name+" is behind")
		return
	}
	f.heard = append(f.heard, fmt.Sprintf("%s has caught up; %d asks failed", to.Name, f.failed))
}

func (f *flooder) OnStreamEnded(_ *rpcenv.Context, to rpcenv.Ref, err error) {
	f.heard = append(f.heard, fmt.Sprintf("the stream to %s has ended: %v", to.Name, err))
}
