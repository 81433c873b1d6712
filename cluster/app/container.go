package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// containerVar is the variable with the id of its container that a NodeManager gives each process.
const containerVar = "CONTAINER_ID"

// inContainer reports whether a NodeManager started this process.
func inContainer() bool { return os.Getenv(containerVar) != "" }

// thisAttempt is the attempt that owns this process's container.
func thisAttempt() (ids.Attempt, error) {
	id, err := ids.ParseContainer(os.Getenv(containerVar))
	if err != nil {
		return ids.Attempt{}, fmt.Errorf("%s: %w: a NodeManager sets it", containerVar, err)
	}
	return id.Attempt, nil
}

// masterArgs are the arguments of an ApplicationMaster, by Spark's names. They mirror ApplicationMasterArguments.
type masterArgs struct {
	class, jar            string
	args                  []string
	properties, distCache string
}

func parseMasterArgs(args []string) (masterArgs, error) {
	var a masterArgs
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			return a, fmt.Errorf("%s: its value is missing", args[i])
		}
		switch name, value := args[i], args[i+1]; name {
		case "--class":
			a.class = value
		case "--jar":
			a.jar = value
		case "--arg":
			a.args = append(a.args, value)
		case "--properties-file":
			a.properties = value
		case "--dist-cache-conf":
			a.distCache = value
		default:
			return a, fmt.Errorf("%s: no such option of an ApplicationMaster", name)
		}
	}
	if a.properties == "" {
		return a, errors.New("an ApplicationMaster needs --properties-file")
	}
	return a, nil
}

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

// masterConfig is what an ApplicationMaster finds in its container.
func masterConfig(a masterArgs, c *conf.Conf, attempt ids.Attempt) (applicationmaster.Config, error) {
	cfg := applicationmaster.Config{
		Attempt: attempt,
		Host:    orLoopback(os.Getenv("NM_HOST")), ProxyBase: os.Getenv("APPLICATION_WEB_PROXY_BASE"),
		Environment: sparkVariables(),
	}
	var err error
	if cfg.ResourceManager, err = ResourceManager(c); err != nil {
		return cfg, err
	}
	if cfg.Token, err = readToken(); err != nil {
		return cfg, err
	}
	if a.distCache != "" {
		if cfg.LocalResources, err = executorResources(a.distCache); err != nil {
			return cfg, err
		}
	}
	if dir := os.Getenv(yarnclient.StagingVar); dir != "" && !conf.YARNPreserveStagingFiles.Get(c) {
		cfg.Staging = staged(dir)
	}
	return cfg, nil
}

// readToken is the token by which the ResourceManager knows this attempt; nil when the container has no credentials.
func readToken() (*yarn.Token, error) {
	path := os.Getenv("HADOOP_TOKEN_FILE_LOCATION")
	if path == "" {
		return nil, nil
	}
	blob, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("HADOOP_TOKEN_FILE_LOCATION: %w", err)
	}
	t, err := token.Find(blob, token.AMRM)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// executorResources are the files that the client staged for executors.
func executorResources(path string) ([]*yarn.StringLocalResourceMap, error) {
	settings, err := readProperties(path)
	if err != nil {
		return nil, err
	}
	entries, err := distcache.Entries(settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return distcache.Resources(entries)
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
