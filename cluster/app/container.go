package app

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
)

// containerVar is the variable with the id of its container that a NodeManager gives each process.
const containerVar = "CONTAINER_ID"

// inContainer reports whether a NodeManager started this process.
func inContainer() bool { return os.Getenv(containerVar) != "" }

// readProperties reads the settings in a file of the container.
func readProperties(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out, err := conf.ParseProperties(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// findMaster is what an ApplicationMaster finds in its container.
func findMaster(clusterMode bool, a applicationmaster.Args, log *logrus.Entry) (applicationmaster.Boot, error) {
	x := applicationmaster.Boot{
		ClusterMode: clusterMode, Args: a,
		Host: orLoopback(os.Getenv("NM_HOST")), ProxyBase: os.Getenv("APPLICATION_WEB_PROXY_BASE"),
		Environment: sparkVariables(), FS: Files{}, Transfer: NewTransfer(),
	}
	id, err := ids.ParseContainer(os.Getenv(containerVar))
	if err != nil {
		return x, fmt.Errorf("%s: %w: a NodeManager sets it", containerVar, err)
	}
	x.Attempt = id.Attempt
	if x.Env, err = masterEnv(x, log); err != nil {
		return x, err
	}
	if path := os.Getenv("HADOOP_TOKEN_FILE_LOCATION"); path != "" {
		if x.Tokens, err = os.ReadFile(path); err != nil {
			return x, fmt.Errorf("HADOOP_TOKEN_FILE_LOCATION: %w", err)
		}
	}
	if clusterMode {
		x.User, x.Process = sparkUser(), thisProcess()
		if x.EventLog, err = eventLog(x.Env.Conf); err != nil {
			return x, err
		}
	}
	if a.DistCache != "" {
		if x.DistCache, err = readProperties(a.DistCache); err != nil {
			return x, err
		}
	}
	if dir := os.Getenv(yarnclient.StagingVar); dir != "" && !yarnclient.YARNPreserveStagingFiles.Get(x.Env.Conf) {
		x.Staging = staged(dir)
	}
	return x, nil
}

// masterEnv is the Env of an ApplicationMaster, with the settings that its client staged.
func masterEnv(x applicationmaster.Boot, log *logrus.Entry) (rpcenv.Config, error) {
	settings, err := readProperties(x.Args.Properties)
	if err != nil {
		return rpcenv.Config{}, err
	}
	digest, path, err := program.Self()
	if err != nil {
		return rpcenv.Config{}, err
	}
	// Executors get the driver's settings, and compare their program with the one that runs here.
	settings[known.AppID.Key()], settings[known.AppBinary.Key()] = x.Attempt.App.String(), digest
	if settings[submit.AppName.Key()] == "" {
		settings[submit.AppName.Key()] = filepath.Base(path)
	}
	c, err := conf.New(settings, known.All())
	if err != nil {
		return rpcenv.Config{}, err
	}
	// The trace is no reason to fail an attempt.
	if made, err := withTraceDir(c); err == nil { // else recorderOrRing warns
		c = made
	}
	for _, w := range c.Warnings() {
		log.Warn(w)
	}
	if !x.ClusterMode { // it does not listen: the driver speaks over the connection that this Env opens
		return rpcenv.Config{Name: nameOr(c, "AM"), Conf: c, Log: log}, nil
	}
	// Not the loopback address by default: executors run on other nodes.
	bind := cmp.Or(known.DriverBindAddress.Get(c), x.Host)
	return rpcenv.Config{
		Name: nameOr(c, "Driver"), Listen: rpcenv.Address{Host: bind, Port: known.DriverPort.Get(c)}, Conf: c, Log: log,
	}, nil
}

// staged is the staging directory of an application.
type staged string

// Remove removes it.
func (s staged) Remove(b *rpcenv.Blocking) error { return Staging{}.Remove(b, string(s)) }

// sparkVariables are those of this process that executors get too.
func sparkVariables() []*yarn.StringStringMap {
	var out []*yarn.StringStringMap
	for _, p := range variables("SPARK", strings.ToUpper) {
		out = append(out, &yarn.StringStringMap{Key: "SPARK" + p.GetKey(), Value: p.GetValue()})
	}
	return out
}

// executorDirs are the directories that an executor is given for its blocks: by a Worker, a list as in PATH, or, in a
// container, by a NodeManager, a list with commas.
func executorDirs() []string {
	if dirs := os.Getenv("SPARK_EXECUTOR_DIRS"); dirs != "" || !inContainer() {
		return filepath.SplitList(dirs)
	}
	return strings.FieldsFunc(os.Getenv("LOCAL_DIRS"), func(r rune) bool { return r == ',' })
}

// nodeManager is where the NodeManager of this container is; zero in no container.
func nodeManager() rpcenv.Address {
	port, err := strconv.Atoi(os.Getenv("NM_PORT"))
	if !inContainer() || err != nil {
		return rpcenv.Address{}
	}
	return rpcenv.Address{Host: orLoopback(os.Getenv("NM_HOST")), Port: port}
}
