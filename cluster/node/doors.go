package node

import (
	"net"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// runsPrograms is the danger of most doors.
const runsPrograms = "run programs as this user"

// byHost is how to close a door at the address of --host.
const byHost = "start the daemon with --host 127.0.0.1, or let a firewall keep others out"

// rpcLets says, by role, what everybody can do that reaches its RPC port.
var rpcLets = map[string]string{
	"master":          "submit and kill applications and drivers, and so run programs as the Workers' users",
	"worker":          runsPrograms,
	"resourcemanager": "submit and kill applications, and so run programs as the NodeManagers' users",
	"nodemanager":     runsPrograms,
}

// pagesLet says, by service, what everybody can do that reaches its pages.
var pagesLet = map[string]string{
	"MasterUI":        "read what runs and kill applications and drivers",
	"WorkerUI":        "read what runs and the output of executors and drivers",
	"ResourceManager": "read what runs, its users and its queues",
	"NodeManager":     "read what runs and the output of containers",
}

// warnRPC warns of the daemon's RPC port.
func (d *daemon) warnRPC() {
	lets := rpcLets[d.opts.Role]
	if lets == "" {
		lets = "send the daemon whatever its protocol has"
	}
	at := rpcenv.Address{Host: d.opts.Listen.Host, Port: d.node.Env.Address().Port}
	rpcenv.Door{Name: "the RPC port", At: at.String(), Lets: lets, Close: byHost}.Warn(d.opts.Log)
}

// warnPages warns of pages.
func (d *daemon) warnPages(service, setting string, l net.Listener) {
	lets := pagesLet[service]
	// With these settings no page kills anything.
	if service == "MasterUI" && (!known.UIKillEnabled.Get(d.opts.Conf) || known.RESTTokenFile.Get(d.opts.Conf) != "") {
		lets = "read what runs"
	}
	closing := byHost
	if service == "ResourceManager" || service == "NodeManager" {
		closing = "set " + setting + "=127.0.0.1:PORT, or let a firewall keep others out"
	}
	rpcenv.Door{Name: "the port of " + service, At: l.Addr().String(), Lets: lets, Close: closing}.Warn(d.opts.Log)
}

// warnREST warns of the REST server.
func (d *daemon) warnREST(l net.Listener, token string) {
	lets := "submit drivers, and so run programs as the Workers' users"
	closing := "set " + known.MasterRESTHost.Key() + "=127.0.0.1"
	if token == "" {
		closing += ", or let it want a token with " + known.RESTTokenFile.Key()
	} else { // a token keeps strangers from submitting, and not from listening
		lets = "read the token and the submissions that others send, since nothing is encrypted"
	}
	rpcenv.Door{Name: "the REST server", At: l.Addr().String(), Lets: lets, Close: closing}.Warn(d.opts.Log)
}
