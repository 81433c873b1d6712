package rpcenv_test

import (
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/rpcenv"
)

// What protoactor logs is in the log of an Env at debug, whatever its own level, and costs nothing otherwise.
func TestProtoactorLogsAtDebug(t *testing.T) {
	log, hook := test.NewNullLogger()
	l := rpcenv.NewActorLog(logrus.NewEntry(log))
	l.Error("nobody sees it")
	log.SetLevel(logrus.DebugLevel)
	l.Error("dead letter", "pid", "1/E#2")
	all := hook.AllEntries()
	if len(all) != 1 || all[0].Level != logrus.DebugLevel || all[0].Message != `protoactor: level=ERROR msg="dead letter" pid=1/E#2` {
		t.Error(all)
	}
}
