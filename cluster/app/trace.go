package app

import (
	"path/filepath"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// recorderOrRing is boot.Record for a process that an application needs more than its trace: when the file cannot be opened,
// the process goes on without, and logs that.
func recorderOrRing(path string, c *conf.Conf, log *logrus.Entry) (*record.Recorder, error) {
	rec, err := boot.Record(path, c)
	if err == nil {
		return rec, nil
	}
	log.Warnf("%v: this process goes on without a trace: make its folder here, or name another with %s", err, rpcenv.TraceDir.Key())
	return record.NewRingRecorder()
}

// withTraceDir is c with an absolute coherer.trace.dir, which it makes: executors record there, and each has a working
// directory of its own.
func withTraceDir(c *conf.Conf) (*conf.Conf, error) {
	dir := rpcenv.TraceDir.Get(c)
	if dir == "" {
		return c, nil
	}
	path, err := record.MakeDir(dir)
	if err != nil {
		return nil, err
	}
	return c.With(map[string]string{rpcenv.TraceDir.Key(): path})
}

// executorTrace is where an executor's process records, in the directory that its driver's settings name; empty without such a
// directory.
func executorTrace(a executor.Args, c *conf.Conf, what string) string {
	dir := rpcenv.TraceDir.Get(c)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, what+"-"+a.AppID+"-"+a.ExecutorID+".trace")
}

// saveFetched writes what the fetcher recorded, now that its settings say where to.
func saveFetched(a executor.Args, settings map[string]string, rec *record.Recorder) error {
	c, err := conf.New(settings, known.All())
	if err != nil {
		return err
	}
	path := executorTrace(a, c, "fetch")
	if path == "" {
		return nil
	}
	file, err := boot.Record(path, c)
	if err != nil {
		return nil //nolint:nilerror // the executor cannot open its file there either, and warns of it
	}
	for _, r := range rec.Records() {
		file.AddRecord(r)
	}
	return file.Close()
}
