package app

import (
	"os"
	"runtime"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/cluster/eventlog"
	"github.com/coherer/coherer/rpcenv/conf"
)

// eventLog is where a driver with these settings writes its events; nil: nowhere.
func eventLog(c *conf.Conf) (bus.Log, error) {
	w, err := eventlog.New(c)
	if w == nil { // else the interface would not be nil
		return nil, err
	}
	return w, nil
}

// thisProcess describes this process in an event log. What Spark says there of Java and Scala is said of Go.
func thisProcess() bus.Process {
	self, _ := os.Executable()
	dir, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	add := func(key, value string) listener.Field[string] { return listener.Field[string]{Key: key, Value: value} }
	return bus.Process{
		Measure: measureProcess,
		Runtime: listener.Properties{
			add("Java Home", self), add("Java Version", runtime.Version()+" (Coherer, without Java)"), add("Scala Version", "none"),
		},
		System: listener.Properties{
			add("java.io.tmpdir", os.TempDir()), add("os.arch", runtime.GOARCH), add("os.name", runtime.GOOS),
			add("user.dir", dir), add("user.home", home), add("user.name", sparkUser()),
		},
	}
}
