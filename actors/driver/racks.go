package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/conf"
)

// maxTopology bounds the table of racks, in bytes.
const maxTopology = 16 << 20

// racks reads the table that says on which rack a host is; nil without one. It mirrors
// org.apache.spark.deploy.yarn.SparkRackResolver with Hadoop's TableMapping.
func racks(c *conf.Conf, files rdd.FS) (func(host string) string, error) {
	path, set := topologyTable.Find(c)
	if !set {
		return nil, nil
	}
	table, err := readTopology(path, files)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w: name a file that is there, or remove the setting", topologyTable.Key(), err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", topologyTable.Key(), err)
	}
	return func(host string) string {
		if rack, ok := table[host]; ok {
			return rack
		}
		return ids.DefaultRack
	}, nil
}

func readTopology(path string, files rdd.FS) (map[string]string, error) {
	if files == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("this driver has no file system")}
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > maxTopology {
		return nil, fmt.Errorf("%s has %d bytes, allowed are %d", path, f.Size(), maxTopology)
	}
	content := make([]byte, f.Size())
	if _, err := f.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return parseTopology(path, string(content))
}

// parseTopology reads lines of a host and its rack. Empty ones, and those that begin with #, say nothing.
func parseTopology(path, content string) (map[string]string, error) {
	table := map[string]string{}
	n := 0
	for line := range strings.Lines(content) {
		n++
		switch columns := strings.Fields(line); {
		case len(columns) == 0 || strings.HasPrefix(columns[0], "#"):
		case len(columns) != 2:
			return nil, fmt.Errorf("%s, line %d has %d columns: want a host and its rack, such as host1 /rack1", path, n, len(columns))
		default:
			table[columns[0]] = columns[1]
		}
	}
	return table, nil
}
