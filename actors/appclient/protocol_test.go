package appclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/script"
)

// The scripts are about a client in the process Driver. The processes M, M2 and M3 speak as Masters; the listener's words are
// printed by the verb heard.
func TestProtocol(t *testing.T) {
	script.RunAll(t, func(w *rpctest.World) script.Subject {
		w.NoPanic()
		for _, name := range []string{"M", "M2", "M3"} {
			w.ProbeIn(w.Env(name, nil), "Master")
		}
		w.Env("Empty", nil)
		env := w.Env("Driver", nil)
		client, listener := env.Ref(env.Address(), Name), w.ProbeIn(env, "Listener")
		var failed []string // what the listener asked for
		tells := func(m func(args []string) rpcenv.Message) func(string) (string, error) {
			return func(args string) (string, error) {
				listener.Do(func(c *rpcenv.Context) {
					rpcenv.AskAs(c, client, m(strings.Fields(args)), func(_ rpcenv.Message, err error) {
						if err != nil {
							failed = append(failed, "failed: "+err.Error())
						}
					})
				})
				return "", nil
			}
		}
		return script.Subject{Ref: client, Verbs: map[string]func(string) (string, error){
			// start makes the client: the processes at which it seeks Masters.
			"start": func(args string) (string, error) {
				cfg := Config{Description: &deploy.ApplicationDescription{Name: "counts"}, Listener: listener.Ref}
				for name := range strings.FieldsSeq(args) {
					cfg.Masters = append(cfg.Masters, w.At(name))
				}
				_, err := env.Register(Name, New(cfg))
				return "", err
			},
			// heard prints what the listener heard since.
			"heard": func(string) (string, error) {
				own := failed
				failed = nil
				return script.Heard(listener, "", own...), nil
			},
			"ends":  tells(func([]string) rpcenv.Message { return StopAppClient{} }),
			"kills": tells(func(ids []string) rpcenv.Message { return KillExecutors{IDs: ids} }),
			"wants": tells(func(args []string) rpcenv.Message {
				t := &deploy.ProfileTarget{Profile: &deploy.ResourceProfile{Id: 1}}
				_, _ = fmt.Sscan(args[0], &t.Total)
				return RequestExecutors{Totals: []*deploy.ProfileTarget{t}}
			}),
		}}
	})
}
