package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNoProcessStartsWithASettingThatPromisesProtection: each that reads settings names the setting and where it is from.
func TestNoProcessStartsWithASettingThatPromisesProtection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	defaults, site, core := filepath.Join(dir, "spark-defaults.conf"), filepath.Join(dir, "yarn-site.xml"), filepath.Join(dir, "core-site.xml")
	write(t, defaults, "spark.task.cpus 1\nspark.network.crypto.enabled true\n")
	write(t, site, "<configuration><property><name>yarn.acl.enable</name><value>true</value></property></configuration>")
	write(t, core, "<configuration><property><name>hadoop.security.authentication</name><value>kerberos</value></property>"+
		"<property><name>fs.defaultFS</name><value>hdfs://h:1</value></property></configuration>")
	spark, hadoop := "SPARK_CONF_DIR="+dir, "HADOOP_CONF_DIR="+dir
	const conf = " --conf spark.authenticate=true "
	file, sites := defaults+":2: spark.network.crypto.enabled", site+": yarn.acl.enable"
	option := "--conf: spark.authenticate"
	for _, c := range []struct {
		line, env string
		want      []string
	}{
		{"master" + conf, "", []string{option}},
		{"master --port 0", spark, []string{file}},
		{"master --port 0", "SPARK_MASTER_OPTS=-Dspark.acls.enable=true", []string{"env SPARK_MASTER_OPTS: spark.acls.enable"}},
		{"worker spark://127.0.0.1:1" + conf, "", []string{option}},
		{"worker spark://127.0.0.1:1", spark, []string{file}},
		{"worker spark://127.0.0.1:1 --properties-file " + defaults, "", []string{file}},
		{"resourcemanager", hadoop, []string{sites, core + ": hadoop.security.authentication"}},
		{"resourcemanager --conf yarn.http.policy=HTTPS_ONLY", "", []string{"--conf: yarn.http.policy"}},
		{"nodemanager yarn://127.0.0.1:1", hadoop, []string{sites, core + ": hadoop.security.authentication"}},
		{"nodemanager yarn://127.0.0.1:1 --conf yarn.acl.enable=true", "", []string{"--conf: yarn.acl.enable"}},
		{"run" + conf + "pi 1", "", []string{option}},
		{"run --yarn --conf yarn.acl.enable=true pi 1", "", []string{"--conf: yarn.acl.enable"}},
		{"submit --master spark://127.0.0.1:1" + conf + "pi 1", "", []string{option}},
		{"submit --master spark://127.0.0.1:1 pi 1", spark, []string{file}},
		{"submit --master spark://127.0.0.1:1 --deploy-mode cluster" + conf + "pi 1", "", []string{option}},
		{"submit --master spark://127.0.0.1:1 --deploy-mode cluster --conf spark.master.rest.enabled=true" + conf + "pi 1", "", []string{option}},
		{"submit --master spark://127.0.0.1:1 --kill driver-1" + conf, "", []string{option}},
		{"submit --master spark://127.0.0.1:1 --status driver-1 --conf spark.master.rest.enabled=true" + conf, "", []string{option}},
		{"submit --master yarn://127.0.0.1:1 pi 1", hadoop, []string{site + ": spark.hadoop.yarn.acl.enable", core + ": spark.hadoop.hadoop.security.authentication"}},
		{"submit --master yarn://127.0.0.1:1 --deploy-mode cluster" + conf + "pi 1", "", []string{option}},
		{"status --master spark://127.0.0.1:1" + conf, "", []string{option}},
		{"status --join 127.0.0.1:1" + conf, "", []string{option}},
	} {
		cmd := command(t, strings.Fields(c.line)...)
		if c.env != "" {
			cmd.Env = append(cmd.Env, c.env)
		}
		got := finish(t, cmd)
		for _, want := range c.want {
			if got.code != exitUsage || strings.Count(got.stderr, want+" promises protection that Coherer does not give") != 1 {
				t.Errorf("%s %s: code %d, want %q once in\n%s", c.env, c.line, got.code, want, got.stderr)
			}
		}
	}
}

// TestNoProcessOfAnApplicationStartsWithASettingThatPromisesProtection: nor those that get their settings from others.
func TestNoProcessOfAnApplicationStartsWithASettingThatPromisesProtection(t *testing.T) {
	t.Parallel()
	properties := filepath.Join(t.TempDir(), "spark.properties")
	write(t, properties, "spark.authenticate=true\n")
	const settings = `"spark.master":"spark://127.0.0.1:1","spark.authenticate":"true"`
	for name, c := range map[string]struct {
		args []string
		env  []string
	}{
		"driver":             {[]string{"driver", "pi", "1"}, []string{`COHERER_SUBMISSION={"conf":{` + settings + `}}`}},
		"executor":           {nil, []string{`COHERER_EXECUTOR={"args":["--driver-url","spark://CoarseGrainedScheduler@127.0.0.1:1","--executor-id","0","--hostname","127.0.0.1","--cores","1","--app-id","app-1"],"settings":{` + settings + `}}`}},
		"application master": {[]string{"applicationmaster", "--class", "pi", "--properties-file", properties}, []string{"CONTAINER_ID=container_1_0001_01_000001"}},
		"executor launcher":  {[]string{"executorlauncher", "--arg", "127.0.0.1:1", "--properties-file", properties}, []string{"CONTAINER_ID=container_1_0001_01_000001"}},
	} {
		cmd := command(t, c.args...)
		cmd.Env = append(cmd.Env, c.env...)
		got := finish(t, cmd)
		if got.code == 0 || strings.Count(got.stderr, "spark.authenticate promises protection that Coherer does not give") != 1 {
			t.Errorf("%s: code %d\n%s", name, got.code, got.stderr)
		}
	}
}

// TestASettingWithoutEffectIsWarnedOfOnce: the command that reads it from the user warns, and the driver does not again.
func TestASettingWithoutEffectIsWarnedOfOnce(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "run", "--conf", "spark.task.reaper.enabled=true", "pi", "1"))
	const want = "spark.task.reaper.enabled (--conf) has no effect yet: there is no support for the task reaper"
	if got.code != 0 || strings.Count(got.stderr, want) != 1 || strings.Count(got.stderr, "spark.task.reaper") != 1 {
		t.Errorf("code %d: want once %q in\n%s", got.code, want, got.stderr)
	}
	got = here(t, "config", "show", "spark.task.reaper.pollingInterval")
	if !strings.Contains(got.stdout, "No effect yet: there is no support for the task reaper.") {
		t.Errorf("%s", got.stdout)
	}
}

func TestAFileOfPoolsThatIsMissingIsAnError(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "fairscheduler.xml")
	got := finish(t, command(t, "run", "--conf", "spark.scheduler.allocation.file="+missing, "pi", "1"))
	if got.code == 0 || strings.Count(got.stderr, "spark.scheduler.allocation.file: open "+missing+": no such file") != 1 {
		t.Errorf("code %d\n%s", got.code, got.stderr)
	}
}

// submit, and run with --spark-env, find fairscheduler.xml in the directory of settings: what is wrong in it says so.
func TestPoolsAreReadInTheDirectoryOfSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "fairscheduler.xml")
	write(t, file, "<allocations><pool")
	for _, k := range []struct {
		args []string
		fail bool
	}{
		{[]string{"submit", "--master", "local", "--conf", "spark.scheduler.mode=FAIR", "pi", "1"}, true},
		{[]string{"submit", "--master", "local", "pi", "1"}, false},
		{[]string{"run", "--spark-env", "--conf", "spark.scheduler.mode=FAIR", "pi", "1"}, true},
		{[]string{"run", "--conf", "spark.scheduler.mode=FAIR", "pi", "1"}, false},
	} {
		cmd := command(t, k.args...)
		cmd.Env = append(cmd.Environ(), "SPARK_CONF_DIR="+dir)
		got := finish(t, cmd)
		if (got.code != 0) != k.fail || strings.Contains(got.stderr, file) != k.fail {
			t.Errorf("%s: code %d\n%s", k.args, got.code, got.stderr)
		}
	}
}
