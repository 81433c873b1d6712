package app

import (
	"io"
	"net"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/ui"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// listenPages binds the port of a driver's pages and notes it in cfg; nil: there are none. Spark's driver fails when the ports that it
// tries are taken; this one takes any other, since many drivers may run on one machine.
func listenPages(c *conf.Conf, bind string, cfg *driver.Config, log *logrus.Entry) (net.Listener, error) {
	if !known.UIEnabled.Get(c) {
		return nil, nil
	}
	// Another driver on the next port is no reason to warn anyone.
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	listen := func(port, retries int) (net.Listener, error) {
		return web.Listen("SparkUI", known.UIPort.Key(), known.DriverBindAddress.Key(), bind, port, retries, logrus.NewEntry(quiet))
	}
	l, err := listen(known.UIPort.Get(c), rpcenv.PortMaxRetries.Get(c))
	if err != nil {
		if l, err = listen(0, 0); err != nil {
			return nil, err
		}
	}
	log.Infof("Bound SparkUI to %s, and started at %s", l.Addr(), web.URL(l, ""))
	rpcenv.Door{
		Name: "the port of the driver's pages", At: l.Addr().String(), Lets: "read its settings, but for secrets, and what it runs",
		Close: "set " + known.DriverBindAddress.Key() + "=127.0.0.1, or " + known.UIEnabled.Key() + "=false, or let a firewall keep others out",
	}.Warn(log)
	cfg.WebUIURL, cfg.Status = web.URL(l, ""), status.New(c)
	return l, nil
}

// servePages serves the pages of a driver at l until close is called.
func servePages(l net.Listener, env *rpcenv.Env, log *logrus.Entry) (closePages func() error) {
	if l == nil {
		return func() error { return nil }
	}
	site := web.Site{Env: env, Ref: env.Ref(env.Address(), bus.Name), Conf: env.Conf(), Log: log, Names: []string{env.Address().Host}}
	return web.Serve(l, ui.Pages(site), log).Close
}
