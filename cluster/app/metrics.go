package app

import (
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics/debug"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
)

// serveMetrics lets others read the counters of a driver or executor: over RPC always, over HTTP if coherer.debug.addr says
// where. The Server is nil if it does not.
func serveMetrics(env *rpcenv.Env, c *conf.Conf, log *logrus.Entry) (*debug.Server, error) {
	if err := reader.Register(env); err != nil {
		return nil, err
	}
	at := conf.DebugAddr.Get(c)
	if at == "" {
		return nil, nil
	}
	s, err := debug.Serve(at, conf.DebugAddr.Key(), log, env)
	if err == nil {
		log.Warnf("metrics and profiles at http://%s/metrics and /debug/pprof/", s.Addr()) // drivers log nothing below
	}
	return s, err
}
