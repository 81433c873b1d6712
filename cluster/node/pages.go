package node

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/rest"
	"github.com/coherer/coherer/cluster/web/spark"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/httpserver"
)

// faces are a daemon's servers over HTTP, besides that of its metrics.
type faces struct {
	listeners []net.Listener
	servers   []*httpserver.Server
	// url is where the pages are; empty: the daemon serves no pages.
	url string
}

// bind listens for a service at a port of host. It runs before the role starts, whose Config holds the address of its pages.
func (d *daemon) bind(service, setting, host string, port int) (net.Listener, error) {
	hostSetting := setting
	switch {
	case host == d.opts.Listen.Host:
		hostSetting = "--host"
	case setting == known.MasterRESTPort.Key():
		hostSetting = known.MasterRESTHost.Key()
	}
	l, err := web.Listen(service, setting, hostSetting, host, port, rpcenv.PortMaxRetries.Get(d.opts.Conf), d.opts.Log)
	if err == nil {
		d.faces.listeners = append(d.faces.listeners, l)
	}
	return l, err
}

// bindPages listens for the pages, if the daemon is to have any.
func (d *daemon) bindPages(service, setting string) (net.Listener, error) {
	at := d.opts.Pages
	if at == (rpcenv.Address{}) {
		return nil, nil
	}
	l, err := d.bind(service, setting, at.Host, at.Port)
	if err == nil {
		d.faces.url = web.URL(l, d.opts.PublicName)
		d.warnPages(service, setting, l)
	}
	return l, err
}

// bindWebapp listens for the pages of a daemon of YARN, at Options.Pages or else at the address of a setting.
func (d *daemon) bindWebapp(service string, setting *conf.Entry[string]) (net.Listener, error) {
	if d.opts.Pages == (rpcenv.Address{}) {
		at, err := rpcenv.ParseAddress(setting.Get(d.opts.Conf))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.Key(), err)
		}
		if at.Host == "0.0.0.0" { // Hadoop's default; here nothing is open to all hosts unless --host says so
			at.Host = d.opts.Listen.Host
		}
		d.opts.Pages = at
	}
	return d.bindPages(service, setting.Key())
}

// serve serves h at l, when the role has started.
func (d *daemon) serve(l net.Listener, h http.Handler) {
	d.faces.servers = append(d.faces.servers, web.Serve(l, h, d.opts.Log))
}

// bindMaster listens for a Master's pages and for submissions, as the settings say, and notes where in cfg. serve begins when the
// Master has started.
func (d *daemon) bindMaster(cfg *master.Config) (serve func(), err error) {
	pages, err := d.bindPages("MasterUI", "--webui-port")
	if err != nil {
		return nil, err
	}
	cfg.WebUIURL = d.faces.url
	if !submit.MasterRESTEnabled.Get(d.opts.Conf) {
		return func() { d.serveMaster(pages) }, nil
	}
	// A token that cannot be read ends the start: without it the server would let everybody submit.
	token, err := rest.Token(d.opts.Conf)
	if err != nil {
		return nil, err
	}
	host := d.opts.Listen.Host
	if h, set := known.MasterRESTHost.Find(d.opts.Conf); set {
		host = h
	}
	l, err := d.bind("REST", known.MasterRESTPort.Key(), host, known.MasterRESTPort.Get(d.opts.Conf))
	if err != nil {
		return nil, err
	}
	d.warnREST(l, token)
	cfg.RestPort = web.Port(l)
	return func() {
		d.serveMaster(pages)
		d.opts.Log.Infof("Started REST server for submitting applications on %s with port %d", host, web.Port(l))
		d.serve(l, rest.New(rest.Config{
			Env: d.node.Env, Master: d.node.Ref, Conf: d.opts.Conf, Port: web.Port(l), Token: token, Names: append(d.names(), host), Getenv: os.LookupEnv, Log: d.opts.Log,
		}))
	}, nil
}

func (d *daemon) serveMaster(l net.Listener) {
	if l != nil {
		d.serve(l, spark.MasterPages(d.site()))
	}
}

// site is what the daemon's pages are about.
func (d *daemon) site() web.Site {
	return web.Site{Env: d.node.Env, Ref: d.node.Ref, Conf: d.opts.Conf, Log: d.opts.Log, Names: d.names(), Members: d.standings}
}

// names are the host names under which browsers may reach the daemon's servers; requests for other hosts are refused.
func (d *daemon) names() []string {
	names := []string{d.opts.Listen.Host, d.opts.Pages.Host}
	if d.opts.PublicName != "" {
		names = append(names, d.opts.PublicName)
	}
	if own, err := os.Hostname(); err == nil {
		names = append(names, own)
	}
	return names
}

// close ends all servers, and listeners that have none yet.
func (f *faces) close() error {
	var errs []error
	for _, s := range f.servers {
		errs = append(errs, s.Close())
	}
	for _, l := range f.listeners {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) { // its server has closed it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
