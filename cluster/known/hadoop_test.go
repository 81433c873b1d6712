package known

import (
	"errors"
	"slices"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestSettingsOfHadoopCountOverItsOwn(t *testing.T) {
	const key = "yarn.client.application-client-protocol.poll-interval-ms"
	for _, tt := range []struct {
		pairs []string
		want  string
	}{
		{nil, "200ms"},
		{[]string{key, "300"}, "300ms"},
		{[]string{"spark.hadoop." + key, "400"}, "400ms"},
		{[]string{"spark.hadoop." + key, "400", key, "300"}, "400ms"},
	} {
		if got := yarnclient.YARNPollInterval.Get(mustNew(t, tt.pairs...)).String(); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.pairs, got, tt.want)
		}
	}
	_, err := conf.New(map[string]string{"spark.hadoop." + key: "soon"}, All())
	if bad, ok := errors.AsType[*conf.ValueError](err); !ok || bad.Key != "spark.hadoop."+key {
		t.Errorf("%v", err)
	}
	if w := mustNew(t, "spark.hadoop.yarn.other", "1", "yarn.log-aggregation-enable", "x").Warnings(); !slices.Equal(w, []string{"unknown setting yarn.log-aggregation-enable"}) {
		t.Errorf("%q", w)
	}
}

// Only a setting of Hadoop may stand behind spark.hadoop.: another stays what it was.
func TestSettingsOfSparkAreNotHadoops(t *testing.T) {
	for key, want := range map[string]bool{
		"yarn.acl.enable": true, "yarn.unknown": true, "hadoop.rpc.protection": true, "hadoop.tmp.dir": false, "spark.task.cpus": false,
	} {
		if got := All().IsHadoops(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if got := submit.TaskCPUs.Get(mustNew(t, "spark.hadoop.spark.task.cpus", "7")); got != 1 {
		t.Errorf("spark.hadoop.spark.task.cpus made spark.task.cpus %d", got)
	}
}

func TestWhereTheResourceManagerIs(t *testing.T) {
	const address, hostname = "yarn.resourcemanager.address", "yarn.resourcemanager.hostname"
	for want, pairs := range map[string][]string{
		"127.0.0.1:8032": nil, "h:8032": {hostname, "h"}, "h:1": {address, "h:1", hostname, "i"}, "127.0.0.1:5": {address, "0.0.0.0:5"},
		"i:8032": {"spark.hadoop." + address, "i"},
	} {
		if got := rmproxy.ResourceManagerAt(mustNew(t, pairs...)); got != want {
			t.Errorf("%q: %s, want %s", pairs, got, want)
		}
	}
}
