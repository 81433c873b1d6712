package yarnclient

import (
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// killReported ends an application unless it has ended. It mirrors ApplicationCLI.killApplication of Hadoop.
func (e *Client) killReported(c *rpcenv.Context, state yarn.YarnApplicationState) {
	if over(state) {
		c.Log().Infof("Application %s has already finished (state: %s)", e.id, state)
		e.exit(c, "the application had ended")
		return
	}
	e.beginPolling(c)
	e.kill(c)
}

// kill asks for the application's end until it is stored.
func (e *Client) kill(c *rpcenv.Context) {
	if e.asking {
		return
	}
	e.asking = true
	q := &yarn.KillApplicationRequest{ApplicationId: e.id.Proto(), Diagnostics: "killed by a client"}
	rmproxy.Ask(&e.proxy, c, e.service, q, func(r *yarn.KillApplicationResponse, err error) {
		e.asking = false
		switch {
		case e.over:
		case err != nil:
			e.fail(c, e.unknown(err))
		case r.GetIsKillCompleted():
			c.Log().Infof("Killed application %s", e.id)
			e.exit(c, "the application is killed")
		default: // accepted, but not stored yet: the next Poll asks again
		}
	})
}
