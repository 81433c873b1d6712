package known

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

// promises has for each setting of protection a value that promises some.
var promises = map[string]string{
	"spark.authenticate":                            "true",
	"spark.authenticate.secret":                     "p4ss",
	"spark.authenticate.secret.file":                "/p4ss",
	"spark.authenticate.secret.driver.file":         "/p4ss",
	"spark.authenticate.secret.executor.file":       "/p4ss",
	"spark.authenticate.enableSaslEncryption":       "TRUE",
	"spark.network.crypto.enabled":                  "true",
	"spark.network.sasl.serverAlwaysEncrypt":        "true",
	"spark.io.encryption.enabled":                   "true",
	"spark.ssl.enabled":                             "true",
	"spark.ssl.ui.enabled":                          "true",
	"spark.ssl.standalone.enabled":                  "true",
	"spark.ssl.historyServer.enabled":               "true",
	"spark.ssl.rpc.enabled":                         "true",
	"spark.acls.enable":                             "true",
	"spark.ui.acls.enable":                          "true",
	"spark.ui.filters":                              "com.example.Filter",
	"spark.master.rest.filters":                     "org.apache.spark.ui.JWSFilter",
	"spark.kerberos.principal":                      "a@B",
	"spark.kerberos.keytab":                         "/p4ss",
	"yarn.acl.enable":                               "true",
	"yarn.admin.acl":                                "alice",
	"yarn.authorization-provider":                   "com.example.Provider",
	"yarn.http.policy":                              "HTTPS_ONLY",
	"yarn.resourcemanager.application-https.policy": "STRICT",
	"yarn.intermediate-data-encryption.enable":      "true",
	"yarn.resourcemanager.principal":                "rm/_HOST@B",
	"yarn.resourcemanager.keytab":                   "/p4ss",
	"yarn.nodemanager.principal":                    "nm/_HOST@B",
	"yarn.nodemanager.keytab":                       "/p4ss",
	"yarn.nodemanager.container-executor.class":     "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
	"hadoop.security.authentication":                "kerberos",
	"hadoop.security.authorization":                 "true",
	"hadoop.rpc.protection":                         "privacy",
	"hadoop.http.authentication.type":               "kerberos",
}

func TestASettingThatPromisesProtectionIsRefused(t *testing.T) {
	for _, d := range All().Entries() {
		if _, listed := promises[d.Key]; d.Lacks != "" != listed {
			t.Errorf("%s: %q: want a promise in this test's table for each entry that is marked, and for no other", d.Key, d.Lacks)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(promises)) {
		refused(t, key, promises[key])
		if !strings.HasPrefix(key, "spark.") {
			refused(t, conf.HadoopPrefix+key, promises[key])
		}
	}
}

// refused holds that value of key is refused by New and with its place by Settings, and that the value that the error advises is taken.
func refused(t *testing.T, key, value string) {
	t.Helper()
	_, err := conf.New(map[string]string{key: value}, All())
	p, ok := errors.AsType[*conf.ProtectionError](err)
	if !ok || p.Key != key || p.Lacks == "" {
		t.Errorf("%s = %s: %v", key, value, err)
		return
	}
	var s conf.Settings
	s.Set(conf.Setting{Pair: conf.Pair{Key: key, Value: value}, From: conf.Origin{Place: "d/spark-defaults.conf", Line: 3}})
	_, err = s.Conf(All())
	if err == nil || !strings.HasPrefix(err.Error(), "d/spark-defaults.conf:3: "+key+" promises protection") || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("%s = %s: %v", key, value, err)
	}
	if err != nil && strings.Contains(err.Error(), "p4ss") {
		t.Errorf("a secret is shown: %v", err)
	}
	if _, err := conf.New(map[string]string{key: p.Harmless}, All()); err != nil {
		t.Errorf("%s = %q: %v", key, p.Harmless, err)
	}
}

func TestASettingOfProtectionThatIsOffIsFine(t *testing.T) {
	c := mustNew(t, "spark.authenticate", "false", "spark.ssl.ui.enabled", "FALSE", "yarn.acl.enable", "false", "yarn.admin.acl", "*",
		"hadoop.security.authentication", "simple", "spark.ui.filters", " , ", "spark.authenticate.secret", "")
	if w := c.Warnings(); len(w) != 0 {
		t.Errorf("%q", w)
	}
}

func TestAllSettingsOfProtectionAreNamedAtOnce(t *testing.T) {
	_, err := conf.New(map[string]string{"spark.authenticate": "true", "yarn.acl.enable": "true", "spark.task.cpus": "many"}, All())
	for _, want := range []string{"spark.authenticate promises", "yarn.acl.enable promises", `spark.task.cpus = "many"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
}
