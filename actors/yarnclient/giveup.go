package yarnclient

import (
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// giveUp ends the client without a report to the listener, and the application with it. An application that was not handed in yet
// never is.
func (e *Client) giveUp(c *rpcenv.Context, m GiveUp) {
	call := rpcenv.Defer(c, m)
	if e.over {
		call.Reply(&rpc.Bool{})
		return
	}
	e.stop(c)
	switch {
	case e.handed != nil:
		e.killGivenUp(c, call)
	case e.staging != "": // the files are being copied: stage answers when it has removed them
		e.givenUp = func() { call.Reply(&rpc.Bool{Value: true}) }
	default:
		call.Reply(&rpc.Bool{Value: true})
	}
}

// killGivenUp asks for the end once: a ResourceManager that answers carries it out.
func (e *Client) killGivenUp(c *rpcenv.Context, call rpcenv.Call[*rpc.Bool]) {
	q := &yarn.KillApplicationRequest{ApplicationId: e.id.Proto(), Diagnostics: "its driver ended before its ApplicationMaster registered"}
	rpcenv.Ask(c, e.service, q, func(_ *yarn.KillApplicationResponse, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("The application %s may go on without its driver: end it with coherer submit --master yarn --kill %s", e.id, e.id)
			call.Reply(&rpc.Bool{})
			return
		}
		e.clean(c, func() { call.Reply(&rpc.Bool{Value: true}) })
	})
}
