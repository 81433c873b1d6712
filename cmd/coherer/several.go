package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv/conf"
)

// severalMasters are the flags of a Master that is one of several: they list these, or say how many there are.
type severalMasters struct {
	peers  string
	expect int
	given  *pflag.FlagSet
}

func (m *severalMasters) flags(f *pflag.FlagSet) {
	m.given = f
	f.StringVar(&m.peers, "peers", "", "`HOST:PORT,HOST:PORT,HOST:PORT`, all Masters of which one leads, this one among them")
	f.IntVar(&m.expect, "expect", 0, "`N`, 1, 3, 5 or 7: the first N Masters with this flag that are members are those of which one leads; 1 is this Master alone")
}

// check reports flags that cannot be.
func (m *severalMasters) check(port int) error {
	if _, err := addresses("--peers", m.peers); err != nil {
		return err
	}
	if !m.given.Changed("expect") {
		return nil
	}
	if m.peers != "" {
		return errors.New("want --peers, which lists all Masters, or --expect, which counts them, not both")
	}
	if err := election.CheckCount(m.expect); err != nil {
		return fmt.Errorf("--expect: %w", err)
	}
	if port == 0 {
		return fmt.Errorf("--expect: %w", node.ErrNoFixedPort)
	}
	return nil
}

// settings are c with those that the flags stand for. A Master keeps its log in the directory recovery, if no other is named.
func (m *severalMasters) settings(c *conf.Conf) (*conf.Conf, error) {
	set := map[string]string{master.RecoveryMode.Key(): "RAFT"}
	switch {
	case m.peers != "":
		set[known.RaftPeers.Key()] = m.peers
	case m.expect != 0:
		set[known.RaftExpect.Key()] = strconv.Itoa(m.expect)
	default:
		return c, nil
	}
	if known.RecoveryDirectory.Get(c) == "" {
		set[known.RecoveryDirectory.Key()] = "recovery"
	}
	return c.With(set)
}
