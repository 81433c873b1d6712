package submit

import (
	"math"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Spec 4.2: the memory of containers, in each mode.
func TestContainers(t *testing.T) {
	for _, tt := range []struct {
		pairs                  map[string]string
		cluster, client, execs Container
	}{
		{nil, Container{1024, 384, 1}, Container{512, 384, 1}, Container{1024, 384, 1}},
		{
			map[string]string{"spark.driver.memory": "5g", "spark.driver.cores": "2", "spark.executor.memory": "4000m", "spark.executor.cores": "3", "spark.yarn.am.memory": "8g"},
			Container{5120, 512, 2},
			Container{8192, 819, 1},
			Container{4000, 400, 3},
		},
		{
			map[string]string{"spark.driver.memoryOverheadFactor": "0.5", "spark.driver.minMemoryOverhead": "600m", "spark.executor.memoryOverheadFactor": "0.4", "spark.executor.minMemoryOverhead": "1m"},
			Container{1024, 600, 1},
			Container{512, 384, 1},
			Container{1024, 409, 1},
		},
		{
			map[string]string{"spark.driver.memoryOverhead": "1", "spark.yarn.am.memoryOverhead": "2", "spark.executor.memoryOverhead": "3", "spark.memory.offHeap.size": "5g"},
			Container{1024, 1, 1},
			Container{512, 2, 1},
			Container{1024, 3, 1},
		},
		{
			map[string]string{"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1g", "spark.executor.pyspark.memory": "7g"},
			Container{1024, 384, 1},
			Container{512, 384, 1},
			Container{1024, 384 + 1024, 1},
		},
	} {
		c, err := conf.New(tt.pairs)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]Container{AMContainer(c, Cluster), AMContainer(c, Client), ExecutorContainer(c, false)}; got != [3]Container{tt.cluster, tt.client, tt.execs} {
			t.Errorf("%v: %v", tt.pairs, got)
		}
	}
	some, err := conf.New(map[string]string{"spark.executor.pyspark.memory": "7g", "spark.executor.cores": "3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want Container }{
		{ExecutorContainer(some, true), Container{1024, 384 + 7168, 3}},
		{ProfileContainer(some, false, 5120, 0), Container{5120, 512, 3}},
		{ProfileContainer(some, false, 0, 2), Container{1024, 384, 2}},
		{ProfileContainer(some, false, 5120, 2), Container{5120, 512, 2}},
	} {
		if tt.got != tt.want {
			t.Errorf("a container of %v, want %v", tt.got, tt.want)
		}
	}
	if got := overhead(executorMemoryOverhead, some, math.MaxInt64, 2, 384); got != math.MaxInt64 {
		t.Errorf("an overhead of %d", got)
	}
	if got := (Container{math.MaxInt64 - 1, 1, 1}).MemoryMB(); got != math.MaxInt64 {
		t.Errorf("as much as fits: %d", got)
	}
	c, err := conf.New(map[string]string{"spark.executor.memory": "9007199254740991g", "spark.driver.memory": "8796093022207g", "spark.executor.pyspark.memory": "1g"})
	if err == nil {
		if got := ExecutorContainer(c, true).MemoryMB(); got <= 0 {
			t.Errorf("more than fits: %d", got)
		}
	}
	if got := (Container{math.MaxInt64, 1, 1}).MemoryMB(); got != math.MaxInt64 {
		t.Errorf("more than fits: %d", got)
	}
}

func TestCommandsOfGoPrograms(t *testing.T) {
	const end = " --properties-file {{PWD}}/__spark_conf__/__spark_conf__.properties --dist-cache-conf {{PWD}}/__spark_conf__/__spark_dist_cache__.properties 1> <LOG_DIR>/stdout 2> <LOG_DIR>/stderr"
	for _, tt := range []struct{ line, want string }{
		{"--deploy-mode cluster bin/prog 8 it's", `{{PWD}}/__app__.jar applicationmaster --class 'prog' --jar 'file:/w/bin/prog' --arg '8' --arg 'it'\''s'`},
		{"--deploy-mode cluster --class C pi $a", `{{PWD}}/__app__.jar applicationmaster --class 'C' --arg '\$a'`},
		{"pi 8", "{{PWD}}/__spark_libs__/coherer executorlauncher --arg 'DRIVER'"},
	} {
		d, err := decide(t, "--master yarn "+tt.line, Input{})
		if err != nil || d.AM == nil || d.AM.Command != tt.want+end {
			t.Errorf("%s: %v\n%+v\nwant %s", tt.line, err, d.AM, tt.want+end)
		}
	}
}

func TestGoProgramsOnYARN(t *testing.T) {
	resolve := func(line string, env map[string]string, hadoop ...conf.Setting) (*Decision, error) {
		l, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Dir: "/w", Env: env, BuiltIn: []string{"pi"}, Hadoop: hadoop}
		a, err := Resolve(l, in)
		if err != nil {
			return nil, err
		}
		return Decide(a, in)
	}
	site := []conf.Setting{
		{Pair: conf.Pair{Key: "yarn.resourcemanager.address", Value: "h:1"}, From: conf.Origin{Place: "yarn-site.xml"}},
		{Pair: conf.Pair{Key: "fs.defaultFS", Value: "hdfs://h"}, From: conf.Origin{Place: "yarn-site.xml"}},
	}
	d, err := resolve("--master yarn pi", map[string]string{"YARN_CONF_DIR": "/c"}, site...)
	if err != nil || d.NotRun != nil {
		t.Fatal(err, d)
	}
	if s, set := d.Properties.Get("spark.hadoop.yarn.resourcemanager.address"); !set || s.Value != "h:1" || s.From.Place != "yarn-site.xml" {
		t.Errorf("%+v", s)
	}
	if _, set := d.Properties.Get("spark.hadoop.fs.defaultFS"); set {
		t.Error("what is not YARN's is a setting")
	}
	const own = "--conf spark.hadoop.yarn.resourcemanager.address=i:2 "
	if d, err = resolve("--master yarn "+own+"pi", nil, site...); err != nil || d.NotRun != nil {
		t.Fatal(err, d)
	}
	if s, _ := d.Properties.Get("spark.hadoop.yarn.resourcemanager.address"); s.Value != "i:2" {
		t.Errorf("%+v", s)
	}
	const must = "either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment"
	if _, err := resolve("--master yarn pi", nil); err == nil || !strings.Contains(err.Error(), must+", or --conf spark.hadoop.") {
		t.Error(err)
	}
	if _, err := resolve("--master yarn "+own+"--class C a.jar", nil); err == nil || !strings.Contains(err.Error(), must+".") {
		t.Error(err)
	}
	if d, err = resolve("--master yarn --class C a.jar", map[string]string{"YARN_CONF_DIR": "/c"}, site...); err != nil {
		t.Fatal(err)
	}
	if _, set := d.Properties.Get("spark.hadoop.yarn.resourcemanager.address"); set {
		t.Error("a jar got a setting that Spark does not give it")
	}
}
