package rpcenv

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
)

func TestADoorThatIsOpenToTheNetworkIsWarnedOf(t *testing.T) {
	for at, open := range map[string]bool{
		"127.0.0.1:1": false, "127.9.9.9:1": false, "[::1]:1": false, "localhost:1": false, "LOCALHOST:1": false, "[::ffff:127.0.0.1]:1": false, "": false,
		"0.0.0.0:1": true, "[::]:1": true, ":1": true, "10.0.0.1:1": true, "[fe80::1%eth0]:1": true, "host.example:1": true, "localhost.example:1": true,
	} {
		var said bytes.Buffer
		log := logrus.New()
		log.SetOutput(&said)
		Door{Name: "the RPC port", At: at, Lets: "run programs", Close: "use --host 127.0.0.1"}.Warn(logrus.NewEntry(log))
		want := "level=warning msg=\"the RPC port is open to the network at " + at + ": anybody who reaches it can run programs; to close it, use --host 127.0.0.1\""
		if got := said.String(); open != strings.Contains(got, want) || !open && got != "" {
			t.Errorf("%q: %s", at, got)
		}
	}
}
