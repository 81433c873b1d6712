package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// settings are --conf and --properties-file, and for commands that read them Spark's variables of the environment.
type settings struct {
	pairs []string
	file  string
	// environment is nil for commands that ignore Spark's variables.
	environment *environment
}

func (s *settings) flags(f *pflag.FlagSet) {
	s.pair(f)
	f.StringVar(&s.file, "properties-file", "", "a `FILE` of settings, as spark-defaults.conf; --conf wins over it")
}

// pair is the flag --conf alone.
func (s *settings) pair(f *pflag.FlagSet) {
	f.StringArrayVar(&s.pairs, "conf", nil, "a setting, `KEY=VALUE`; may be given several times")
}

// read reads the settings: --conf wins over -D of the environment's options, they over the properties file, or without one
// spark-defaults.conf, that over the environment's variables. Flags that stand for settings win over all: the caller sets them.
func (s *settings) read() (*conf.Settings, error) {
	out := &conf.Settings{}
	// From the strongest source to the weakest: SetMissing leaves alone what a stronger one has set.
	for _, pair := range s.pairs {
		key, value, err := conf.ParsePair(pair)
		if err != nil {
			return nil, fmt.Errorf("--conf %s: %w", pair, err)
		}
		out.Set(conf.Setting{Pair: conf.Pair{Key: key, Value: value}, From: conf.Origin{Place: "--conf"}})
	}
	if s.environment != nil {
		out.SetMissing(s.environment.options...)
	}
	path := s.file
	var err error
	if path == "" && s.environment != nil {
		if path, err = defaultsFile(); err != nil {
			return nil, err
		}
	}
	list, err := readProperties(path)
	if s.file != "" && errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("--properties-file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	out.SetMissing(list...)
	if s.environment != nil {
		out.SetMissing(s.environment.settings...)
	}
	return out, nil
}

// readProperties reads a file of settings; without a path it returns no settings.
func readProperties(path string) ([]conf.Setting, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return conf.ReadProperties(f, path)
}

// sparkConfDir is SPARK_CONF_DIR, else SPARK_HOME/conf; empty when neither variable is set.
func sparkConfDir() (string, error) {
	dir, err := confDir("SPARK_CONF_DIR", os.Getenv("SPARK_CONF_DIR"))
	if home := os.Getenv("SPARK_HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, "conf")
	}
	return dir, err
}

// defaultsFile is spark-defaults.conf in the directory of settings; empty when it does not exist. It mirrors
// Utils.getDefaultPropertiesFile.
func defaultsFile() (string, error) {
	dir, err := sparkConfDir()
	if dir == "" || err != nil {
		return "", err
	}
	path := filepath.Join(dir, "spark-defaults.conf")
	// Unlike the directory the file may be missing: no variable names it.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", nil
	}
	return path, nil
}

// check reads the settings and checks them.
func (s *settings) check() (*conf.Settings, *conf.Conf, error) {
	all, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	c, err := all.Conf(known.All())
	return all, c, err
}

// confDir is the directory of settings that a variable names, or "". It must exist: else a daemon would start without the settings
// in it.
func confDir(variable, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", dir)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: name the directory of the settings, or unset the variable", variable, err)
	}
	return dir, nil
}
