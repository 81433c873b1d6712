package app

import (
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// warnDriver warns of a driver's RPC port, which is that of its files too, when it is open to the network.
func warnDriver(env *rpcenv.Env, bind string, log *logrus.Entry) {
	at := rpcenv.Address{Host: bind, Port: env.Address().Port}
	rpcenv.Door{
		Name: "the driver's RPC port", At: at.String(),
		Lets:  "register as an executor, read the program, its tasks and its data, and send results of its own",
		Close: "set " + known.DriverBindAddress.Key() + "=127.0.0.1, or let a firewall keep others out",
	}.Warn(log)
}
