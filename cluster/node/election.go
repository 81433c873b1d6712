package node

import (
	"errors"
	"fmt"
	"net"
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
	// The Master first: it is in STANDBY until the election, which reports to it, elects it.
	n, err := standbyMaster(h, env, cfg)
	if err != nil {
		return nil, err
	}
	if err := n.elect(e); err != nil {
		n.Env.Shutdown()
		return nil, err
	}
	return n, nil
}

// standbyMaster starts a Master that is in STANDBY for as long as it has no election.
func standbyMaster(h rpcenv.Host, env rpcenv.Config, cfg master.Config) (*Node, error) {
	env.Conf = samePort(env.Conf)
	cfg.Election = true
	cfg.Store = &election.Store{Election: rpcenv.Ref{Address: env.Listen, Name: election.Name}}
	return Master(h, env, cfg)
}

// elect gives a Master its election.
func (n *Node) elect(e election.Config) error {
	_, err := n.Env.Register(election.Name, election.New(e))
	return err
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

// openElection opens the log of one of several Masters. cfg has no peers if they are counted, and the log is new. close gives the log up,
// after the Master's end.
func openElection(opts Options) (cfg election.Config, close func() error, err error) {
	cfg = election.Config{Self: opts.Listen, Log: &election.MemoryLog{}} // a stand-in, until the settings are known to be right
	expect, counts := known.RaftExpect.Find(opts.Conf)
	if counts {
		err = errors.Join(checkExpect(opts, expect), election.CheckCount(expect))
	} else {
		cfg.Peers, err = parsePeers(known.RaftPeers.Get(opts.Conf))
	}
	if err != nil {
		return cfg, nil, err
	}
	dir := known.RecoveryDirectory.Get(opts.Conf)
	if dir == "" {
		return cfg, nil, fmt.Errorf("recovery mode RAFT keeps its log in a directory: name it by %s", known.RecoveryDirectory.Key())
	}
	if !counts {
		if err := cfg.Validate(); err != nil { // before a file is made
			return cfg, nil, err
		}
	}
	file, err := raftlog.Open(raftlog.Path(dir, opts.Listen))
	if err != nil {
		return cfg, nil, err
	}
	cfg.Log = file
	if counts {
		// Its group is for ever, so a Master that has one looks for no other.
		if cfg.Peers, err = file.Peers(); err != nil {
			return cfg, nil, errors.Join(err, file.Close())
		}
		if n := len(cfg.Peers); n > 0 && n != expect {
			opts.Log.Warnf("%s records a group of %d Masters, which stays; --expect %d is ignored: give --expect %[2]d", file.Name(), n, expect)
		}
	}
	return cfg, file.Close, nil
}

// ErrNoFixedPort is the error of a Master with --expect that listens at any free port.
var ErrNoFixedPort = errors.New("it needs a fixed port, since the other Masters find this one by it after a restart: give --port 7077")

// checkExpect returns an error when others cannot know this Master by its address, now and when it is started again.
func checkExpect(opts Options, expect int) error {
	if known.RaftPeers.Get(opts.Conf) != "" {
		return fmt.Errorf("the Masters are listed by --peers or %s, or counted by --expect or %s: want one of them", known.RaftPeers.Key(), known.RaftExpect.Key())
	}
	if opts.Listen.Port == 0 {
		return fmt.Errorf("--expect %d: %w", expect, ErrNoFixedPort)
	}
	if ip := net.ParseIP(opts.Listen.Host); ip != nil && ip.IsUnspecified() {
		return fmt.Errorf("--expect %d: the others know this Master by its host: --host %s is none that they could reach", expect, opts.Listen.Host)
	}
	return nil
}

// parsePeers reads HOST:PORT,HOST:PORT,... with or without spark:// before it.
func parsePeers(text string) ([]rpcenv.Address, error) {
	if text == "" {
		return nil, fmt.Errorf("recovery mode RAFT wants all Masters, HOST:PORT,HOST:PORT,HOST:PORT: name them by --peers or %s, or count them by --expect", known.RaftPeers.Key())
	}
	peers, err := rpcenv.ParseAddresses(strings.TrimPrefix(strings.TrimSpace(text), "spark://"))
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", known.RaftPeers.Key(), text, err)
	}
	return peers, nil
}
