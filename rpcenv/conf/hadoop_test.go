package conf

import (
	"errors"
	"slices"
	"strings"
	"testing"
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
		if got := YARNPollInterval.Get(mustNew(t, tt.pairs...)).String(); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.pairs, got, tt.want)
		}
	}
	_, err := New(map[string]string{"spark.hadoop." + key: "soon"})
	if bad, ok := errors.AsType[*ValueError](err); !ok || bad.Key != "spark.hadoop."+key {
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
		if got := IsHadoops(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if got := TaskCPUs.Get(mustNew(t, "spark.hadoop.spark.task.cpus", "7")); got != 1 {
		t.Errorf("spark.hadoop.spark.task.cpus made spark.task.cpus %d", got)
	}
	if e := hadoopEntry("yarn.acl.enable"); e != nil {
		t.Errorf("%s does not begin with spark.hadoop.", e.Key())
	}
}

func TestReadHadoop(t *testing.T) {
	got, err := ReadHadoop(strings.NewReader(`<?xml version="1.0"?>
<configuration>
  <property><name> yarn.a </name><value>1</value><final>true</final></property>
  <property><name>yarn.b</name><value>x y</value></property>
  <property><name>yarn.a</name><value>2</value></property>
</configuration>`), "f")
	want := []Setting{{Pair{"yarn.a", "2"}, Origin{Place: "f"}}, {Pair{"yarn.b", "x y"}, Origin{Place: "f"}}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	for text, says := range map[string]string{
		"": "want <configuration>", "<other/>": "expected element type <configuration>", "<configuration><property>": "f: ",
		"<configuration>" + strings.Repeat(" ", MaxProperties) + "</configuration>": "longer than",
	} {
		if _, err := ReadHadoop(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestWhereTheResourceManagerIs(t *testing.T) {
	const address, hostname = "yarn.resourcemanager.address", "yarn.resourcemanager.hostname"
	for want, pairs := range map[string][]string{
		"127.0.0.1:8032": nil, "h:8032": {hostname, "h"}, "h:1": {address, "h:1", hostname, "i"}, "127.0.0.1:5": {address, "0.0.0.0:5"},
		"i:8032": {"spark.hadoop." + address, "i"},
	} {
		if got := ResourceManagerAt(mustNew(t, pairs...)); got != want {
			t.Errorf("%q: %s, want %s", pairs, got, want)
		}
	}
}
