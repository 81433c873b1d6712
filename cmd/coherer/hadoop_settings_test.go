package main

import (
	"path/filepath"
	"testing"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

// One yarn-site.xml serves all roles: what only Hadoop's ResourceManager can use is no fault of a client, nor of a NodeManager.
func TestARoleReadsItsOwnOfHadoopsSettings(t *testing.T) {
	dir := t.TempDir()
	const key, dirs = "yarn.resourcemanager.fs.state-store.uri", "yarn.nodemanager.local-dirs"
	write(t, filepath.Join(dir, "yarn-site.xml"), "<configuration><property><name>"+key+"</name><value>hdfs://n/x</value></property>"+
		"<property><name>"+dirs+"</name><value>/d</value></property><property><name>yarn.resourcemanager.address</name><value>h:1</value></property></configuration>")
	for role, want := range map[string]string{
		clientOfYARN: "yarn.resourcemanager.address=h:1 ", nodeManager: dirs + "=/d yarn.resourcemanager.address=h:1 ",
		resourceManager: "yarn.resourcemanager.address=h:1 " + key + "=hdfs://n/x ",
	} {
		all, err := hadoopSettings(map[string]string{"HADOOP_CONF_DIR": dir}, role)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range all {
			got += s.Key + "=" + s.Value + " "
		}
		if got != want {
			t.Errorf("%s reads %q, want %q", role, got, want)
		}
		var settings conf.Settings
		settings.Set(all...)
		if _, err := settings.Conf(known.All()); (err != nil) != (role == resourceManager) {
			t.Errorf("%s: %v", role, err)
		}
	}
}
