package boot

import (
	"path/filepath"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Record is a process's recorder that writes to a file; an empty path is a ring alone.
func Record(path string, c *conf.Conf) (*record.Recorder, error) {
	return record.NewProcessRecorder(path, int(rpcenv.TraceBodyLimit.Get(c)))
}

// RecordAs is the recorder of the process called name: in coherer.trace.dir, which it makes; without that setting a ring alone.
func RecordAs(name string, c *conf.Conf) (*record.Recorder, error) {
	dir := rpcenv.TraceDir.Get(c)
	if dir == "" {
		return Record("", c)
	}
	dir, err := record.MakeDir(dir)
	if err != nil {
		return nil, err
	}
	return Record(filepath.Join(dir, name+".trace"), c)
}
