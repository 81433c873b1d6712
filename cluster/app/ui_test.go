package app

import (
	"net"
	"strconv"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// When all ports that the settings allow are taken, the pages are at another one; they are nowhere when they are not wanted.
func TestPagesTakeAnyPortAtLast(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for enabled, want := range map[string]bool{"true": true, "false": false} {
		c, err := conf.New(map[string]string{
			"spark.ui.enabled": enabled, "spark.port.maxRetries": "0", "spark.ui.port": strconv.Itoa(taken.Addr().(*net.TCPAddr).Port),
		}, known.All())
		if err != nil {
			t.Fatal(err)
		}
		var cfg driver.Config
		l, err := listenPages(c, "127.0.0.1", &cfg, rpcenv.NoLog())
		if err != nil || (l != nil) != want || (cfg.Status != nil) != want || (cfg.WebUIURL != "") != want {
			t.Errorf("enabled %s: %v, %v, %+v", enabled, l, err, cfg)
		}
		if l != nil {
			_ = l.Close()
		}
	}
}
