package main

import (
	"fmt"
	"maps"
	"os"

	"github.com/sirupsen/logrus"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/rpcenv/conf"
)

// settings are --conf and --properties-file.
type settings struct {
	pairs []string
	file  string
}

func (s *settings) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.pairs, "conf", nil, "a setting, `KEY=VALUE`; may be given several times")
	f.StringVar(&s.file, "properties-file", "", "a `FILE` of settings, as spark-defaults.conf; --conf wins over it")
}

// values are the settings by key; more win over both.
func (s *settings) values(more map[string]string) (map[string]string, error) {
	out := map[string]string{}
	if s.file != "" {
		f, err := os.Open(s.file)
		if err != nil {
			return nil, fmt.Errorf("--properties-file: %w", err)
		}
		defer f.Close()
		if out, err = conf.ParseProperties(f); err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
	}
	for _, pair := range s.pairs {
		key, value, err := conf.ParsePair(pair)
		if err != nil {
			return nil, fmt.Errorf("--conf %s: %w", pair, err)
		}
		out[key] = value
	}
	maps.Copy(out, more)
	return out, nil
}

// conf are the settings, checked. What is not known is warned of once.
func (s *settings) conf(log *logrus.Entry) (*conf.Conf, error) {
	values, err := s.values(nil)
	if err != nil {
		return nil, err
	}
	c, err := conf.New(values)
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings() {
		log.Warn(w)
	}
	return c, nil
}
