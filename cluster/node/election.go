package node

import (
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/raftlog"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// ElectedMaster starts one of several Masters, in recovery mode RAFT: it is in STANDBY until e elects it. env says where it
// listens, which must be as its peers call it.
func ElectedMaster(h rpcenv.Host, env rpcenv.Config, cfg master.Config, e election.Config) (*Node, error) {
	e.Self = env.Listen
	if err := e.Validate(); err != nil {
		return nil, err
	}
	env.Conf = samePort(env.Conf)
	cfg.Election = true
	cfg.Store = &election.Store{Election: rpcenv.Ref{Address: e.Self, Name: election.Name}}
	// The Master first: it is in STANDBY until the election, which reports to it, elects it.
	n, err := Master(h, env, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := n.Env.Register(election.Name, election.New(e)); err != nil {
		n.Env.Shutdown()
		return nil, err
	}
	return n, nil
}

// samePort are settings with which a port that is taken is not replaced by the next: others know this one.
func samePort(c *conf.Conf) *conf.Conf {
	if c == nil {
		c, _ = conf.New(nil, known.All()) // it cannot fail
	}
	same, err := c.With(map[string]string{rpcenv.PortMaxRetries.Key(): "0"})
	if err != nil {
		return c
	}
	return same
}

// openElection opens the log of one of several Masters. close gives it up, after the Master's end.
func openElection(opts Options) (cfg election.Config, close func() error, err error) {
	cfg = election.Config{Self: opts.Listen, Log: &election.MemoryLog{}} // a stand-in, until the settings are known to be right
	if cfg.Peers, err = parsePeers(known.RaftPeers.Get(opts.Conf)); err != nil {
		return cfg, nil, err
	}
	dir := known.RecoveryDirectory.Get(opts.Conf)
	if dir == "" {
		return cfg, nil, fmt.Errorf("recovery mode RAFT keeps its log in a directory: name it by %s", known.RecoveryDirectory.Key())
	}
	if err := cfg.Validate(); err != nil { // before a file is made
		return cfg, nil, err
	}
	file, err := raftlog.Open(raftlog.Path(dir, opts.Listen))
	if err != nil {
		return cfg, nil, err
	}
	cfg.Log = file
	return cfg, file.Close, nil
}

// parsePeers reads HOST:PORT,HOST:PORT,... with or without spark:// before it.
func parsePeers(text string) ([]rpcenv.Address, error) {
	if text == "" {
		return nil, fmt.Errorf("recovery mode RAFT wants all Masters, HOST:PORT,HOST:PORT,HOST:PORT: name them by --peers or %s", known.RaftPeers.Key())
	}
	peers, err := rpcenv.ParseAddresses(strings.TrimPrefix(strings.TrimSpace(text), "spark://"))
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", known.RaftPeers.Key(), text, err)
	}
	return peers, nil
}
