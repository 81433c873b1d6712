package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// The roles that read Hadoop's settings.
const (
	clientOfYARN    = "client"
	resourceManager = "resourcemanager"
	nodeManager     = "nodemanager"
)

// ofAnother reports whether a setting is of another role alone. One file serves all roles, and that of a Hadoop may have a value that
// only Hadoop can use, such as a directory in HDFS: it must not stop a role that does not need it.
func ofAnother(role, key string) bool {
	owner := ""
	switch key {
	case known.ResourceManagerStore.Key(), scheduler.SchedulerClass.Key(), known.NodesIncludePath.Key(), known.NodesExcludePath.Key(), scheduler.FairAllocationFile.Key():
		owner = resourceManager
	default:
		if strings.HasPrefix(key, "yarn.nodemanager.") {
			owner = nodeManager
		}
	}
	return owner != "" && owner != role
}

// hadoopSettings are those of yarn-site.xml and core-site.xml in YARN_CONF_DIR, and in HADOOP_CONF_DIR what these do not have, for a
// role. It leaves out what the role does not read: those files belong to other programs too.
func hadoopSettings(env map[string]string, role string) ([]conf.Setting, error) {
	var all conf.Settings
	for _, variable := range []string{"YARN_CONF_DIR", "HADOOP_CONF_DIR"} {
		dir, err := confDir(variable, env[variable])
		if err != nil {
			return nil, err
		}
		if dir == "" {
			continue
		}
		for _, file := range []string{"yarn-site.xml", "core-site.xml"} {
			list, err := readHadoop(filepath.Join(dir, file))
			if err != nil {
				return nil, err
			}
			all.SetMissing(slices.DeleteFunc(list, func(s conf.Setting) bool { return !known.All().IsHadoops(s.Key) || ofAnother(role, s.Key) })...)
		}
	}
	return all.Sorted(), nil
}

// readHadoop reads a file of Hadoop's settings; a missing file is empty.
func readHadoop(path string) ([]conf.Setting, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return conf.ReadHadoop(f, path)
}
