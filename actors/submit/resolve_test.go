package submit

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

// file reads lines of a properties file.
func file(t *testing.T, path, text string) []conf.Setting {
	t.Helper()
	list, err := conf.ReadProperties(strings.NewReader(text), path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPrecedence(t *testing.T) {
	in := Input{
		Dir:        "/w",
		Defaults:   file(t, "defaults", "spark.a 1\nspark.b 1\nspark.c 1\nspark.d 1\nspark.e 1\nspark.executor.memory 1g"),
		Properties: file(t, "props", "spark.a 2\nspark.b 2\nspark.c 2\nspark.d 2"),
		Extra:      [][]conf.Setting{file(t, "x1", "spark.a 3\nspark.b 3\nspark.c 3"), file(t, "x2", "\nspark.a 4\nspark.b 4")},
		Env:        map[string]string{"SPARK_EXECUTOR_MEMORY": "9g", "SPARK_EXECUTOR_CORES": "9", "MASTER": "spark://env:1", "DEPLOY_MODE": "cluster"},
	}
	line := "--properties-file props --extra-properties-file x1 --extra-properties-file x2 --conf spark.a=5 --executor-cores 3 app"
	for _, c := range []struct {
		line string
		want []string
	}{
		{line, []string{"spark.a=5 --conf", "spark.b=4 x2:3", "spark.c=3 x1:3", "spark.d=2 props:4"}},
		{"--load-spark-defaults " + line, []string{"spark.a=5 --conf", "spark.b=4 x2:3", "spark.c=3 x1:3", "spark.d=2 props:4", "spark.e=1 defaults:5", "spark.executor.memory=1g defaults:6"}},
	} {
		p, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		a, err := Resolve(p, in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range a.Settings.Sorted() {
			got = append(got, s.Key+"="+s.Value+" "+s.From.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
		memory, _ := a.Get("--executor-memory")
		wantMemory := "9g env SPARK_EXECUTOR_MEMORY"
		if p.Has("--load-spark-defaults") {
			wantMemory = "1g defaults:6"
		}
		if got := memory.Value + " " + memory.From.String(); got != wantMemory {
			t.Errorf("executor memory %s, want %s", got, wantMemory)
		}
		if cores, _ := a.Get("--executor-cores"); cores.Value != "3" || cores.From.Place != "--executor-cores" {
			t.Errorf("executor cores %+v", cores)
		}
		if a.Master() != "spark://env:1" || !a.Cluster() {
			t.Errorf("master %s, cluster %v", a.Master(), a.Cluster())
		}
	}
}

func TestForeignSettingsAreDropped(t *testing.T) {
	c, err := Parse(strings.Fields("--conf log4j.level=1 --conf sparkx=2 --conf coherer.trace.enabled=false app"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Resolve(c, Input{Dir: "/w", Defaults: file(t, "d", "my.key 1\nspark.ok 1")})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Ignoring non-Spark config property: log4j.level (--conf)", "Ignoring non-Spark config property: my.key (d:1)", "Ignoring non-Spark config property: sparkx (--conf)"}
	if !slices.Equal(a.Warnings, want) || len(a.Settings.Sorted()) != 2 {
		t.Errorf("%q, %+v", a.Warnings, a.Settings.Sorted())
	}
}

func TestTheNameOfAnApplication(t *testing.T) {
	yarn := map[string]string{"SPARK_YARN_APP_NAME": "env", "YARN_CONF_DIR": "/c"}
	for _, c := range []struct{ line, want string }{
		{"--name n --conf spark.app.name=c --class C dir/a.jar", "n"},
		{"--conf spark.app.name=c --class C dir/a.jar", "c"},
		{"--master yarn --class C dir/a.jar", "env"},
		{"--class C dir/a.jar", "C"},
		{"dir/main.py", "main.py"},
		{"pi", "pi"},
		{"./examples/wordcount/", "wordcount"},
	} {
		p, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		a, err := Resolve(p, Input{Dir: "/w", Env: yarn, BuiltIn: builtIn})
		if name, _ := a.Get("--name"); err != nil || name.Value != c.want {
			t.Errorf("%s: %q, %v, want %q", c.line, name.Value, err, c.want)
		}
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"--driver-memory 0 --executor-memory much --driver-cores 0 --executor-cores x --total-executor-cores -1 --num-executors 0", []string{
			"Must specify a primary resource (JAR or Python or R file)",
			`Driver memory must be a positive number: "0" (--driver-memory): want a size such as 512m or 2g`,
			`Executor memory must be a positive number: "much" (--executor-memory): want a size such as 512m or 2g`,
			`Driver cores must be a positive number: "0" (--driver-cores)`,
			`Executor cores must be a positive number: "x" (--executor-cores)`,
			`Total executor cores must be a positive number: "-1" (--total-executor-cores)`,
			`Number of executors must be a positive number: "0" (--num-executors)`,
		}},
		{"--num-executors 0 --conf spark.dynamicAllocation.enabled=TRUE app", nil},
		{"--master yarn app", []string{"When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment, or --conf spark.hadoop.yarn.resourcemanager.address=HOST:PORT given."}},
		{"--master yarn --class C app.jar", []string{"When running with master 'yarn' either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment."}},
		{"--proxy-user a --principal b app", []string{"Only one of --proxy-user or --principal can be provided."}},
		{"--proxy-user a --conf spark.yarn.principal=b app", []string{"Only one of --proxy-user or --principal can be provided."}},
		{"--remote sc://h --master local app", []string{"Remote cannot be specified with master and/or deploy mode."}},
		{"--remote sc://h --deploy-mode client app", []string{"Remote cannot be specified with master and/or deploy mode."}},
		{"--conf spark.submit.deployMode=Cluster app", []string{`Deploy mode must be either client or cluster, not "Cluster" (--conf)`}},
		{"--conf spark.master.rest.enabled=perhaps app", []string{`--conf: spark.master.rest.enabled = "perhaps": want true or false`}},
		{"--kill=\u00a0", []string{"Please specify a submission to kill."}},
		{"--status=\u00a0", []string{"Please specify a submission to request status for."}},
		{"--kill driver-1", nil},
		{"--version", nil},
	} {
		p, err := Parse(strings.Split(c.line, " "))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Resolve(p, Input{Dir: "/w"})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant:\n%s", c.line, text, strings.Join(c.want, "\n"))
		}
	}
}

func TestMasterForms(t *testing.T) {
	for _, c := range []struct {
		url  string
		want Master
		err  string
	}{
		{url: "local", want: Master{Manager: Local, Threads: 1, MaxFailures: 1}},
		{url: "local[4]", want: Master{Manager: Local, Threads: 4, MaxFailures: 1}},
		{url: "local[*]", want: Master{Manager: Local, MaxFailures: 1}},
		{url: "local[2, 7]", want: Master{Manager: Local, Threads: 2, MaxFailures: 7}},
		{url: "local[*,3]", want: Master{Manager: Local, MaxFailures: 3}},
		{url: "local-cluster[ 2 , 1,1024 ]", want: Master{Manager: Local, MaxFailures: 1, Workers: 2, Cores: 1, MemoryMB: 1024}},
		{url: "yarn", want: Master{Manager: YARN}},
		{url: "k8s://h:1", want: Master{Manager: Kubernetes, API: "https://h:1"}},
		{url: "k8s://https://h:1", want: Master{Manager: Kubernetes, API: "https://h:1"}},
		{url: "local[0]", err: "0 is no number of at least 1"},
		{url: "local[9999999999]", err: "is no number of at least 1"},
		{url: "local[x]", err: "Could not parse Master URL: 'local[x]'"},
		{url: "localhost", err: "Could not parse Master URL"},
		{url: "local-cluster[1,1]", err: "Could not parse Master URL"},
		{url: "yarn-client", err: "Master must either be yarn"},
		{url: "spark://h", err: "Invalid master URL"},
		{url: "spark://h:1,,h:2", err: "Invalid master URL"},
		{url: "", err: "Master must either be yarn"},
		{url: "local[1,0]", err: "local[1,0]: 0 is no number of at least 1"},
	} {
		got, err := ParseMaster(c.url)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.url, err, c.err)
			}
		case err != nil || got.Manager != c.want.Manager || got.Threads != c.want.Threads || got.MaxFailures != c.want.MaxFailures ||
			got.Workers != c.want.Workers || got.Cores != c.want.Cores || got.MemoryMB != c.want.MemoryMB || got.API != c.want.API:
			t.Errorf("%s: %+v, %v, want %+v", c.url, got, err, c.want)
		}
	}
	m, err := ParseMaster("spark://h1:7077,h2:7078")
	if err != nil || len(m.Masters) != 2 || m.Masters[1].Port != 7078 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestURIs(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"a.jar", "file:/w/a.jar"},
		{"../a b.jar", "file:/a%20b.jar"},
		{"/x//y/./a.jar", "file:/x/y/a.jar"},
		{"a.zip#dir", "file:/w/a.zip#dir"},
		{"hdfs:/a", "hdfs:/a"},
		{"local:/a.jar", "local:/a.jar"},
		{"s3a://b/c", "s3a://b/c"},
	} {
		if got := resolveURI("/w", c.path); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	if got := resolveURIs("/w", " a, ,b"); got != "file:/w/a,file:/w/b" {
		t.Error(got)
	}
	if p, ok := FilePath("file:/a%20b"); p != "/a b" || !ok {
		t.Error(p, ok)
	}
	if p, ok := FilePath("local:/a"); p != "/a" || !ok {
		t.Error(p, ok)
	}
	for _, uri := range []string{"http://h/a", "a%zz"} {
		if _, ok := FilePath(uri); ok {
			t.Errorf("%s is no path", uri)
		}
	}
	if got := resolveURI("/w", "a%zz"); got != "file:/w/a%25zz" {
		t.Error(got)
	}
	for uri, want := range map[string]bool{"hdfs:/a": true, "http://%zz": false, "local:/a": false, "file:/a": false, "/a": false, "": false} {
		if got := remote(uri); got != want {
			t.Errorf("remote(%q): %t", uri, got)
		}
	}
	if got := mergeLists("a", " , ", "", "b,c"); got != "a,b,c" {
		t.Error(got)
	}
	if got, err := formatPythonPaths("/a,,file:/b"); err != nil || got != "/a,/b" {
		t.Error(got, err)
	}
}

// yarn://HOST:PORT is how the commands that look at a cluster name its ResourceManager. As an option it wins over --conf.
func TestAResourceManagerInTheMasterURL(t *testing.T) {
	resolve := func(env map[string]string, args ...string) (*Arguments, error) {
		p, err := Parse(append(args, "pi"))
		if err != nil {
			t.Fatal(err)
		}
		return Resolve(p, Input{Dir: "/w", BuiltIn: []string{"pi"}, Env: env})
	}
	for _, args := range [][]string{
		{"--master", "yarn://h:8032", "--conf", "spark.hadoop.yarn.resourcemanager.address=other:1"}, {"--conf", "spark.master=yarn://h:8032"}, nil,
	} {
		a, err := resolve(map[string]string{"MASTER": "yarn://h:8032"}, args...)
		if err != nil || a.Master() != "yarn" {
			t.Fatalf("%q: %v, %q", args, err, a.Master())
		}
		if at, _ := a.Settings.Get("spark.hadoop.yarn.resourcemanager.address"); at.Value != "h:8032" {
			t.Errorf("%q: %+v", args, at)
		}
	}
	if _, err := resolve(nil, "--master", "yarn://h"); err == nil || !strings.Contains(err.Error(), "--master yarn://h: ") || !strings.Contains(err.Error(), "want yarn://HOST:PORT") || strings.Contains(err.Error(), "HADOOP_CONF_DIR") {
		t.Error(err)
	}
}

// What spark-submit calls each setting, of which an option is one form.
func TestEachOptionStandsForItsSetting(t *testing.T) {
	keys := map[string]string{
		"--remote": "spark.remote", "--name": "spark.app.name", "--driver-memory": "spark.driver.memory", "--driver-cores": "spark.driver.cores",
		"--driver-class-path": "spark.driver.extraClassPath", "--driver-java-options": "spark.driver.extraJavaOptions",
		"--driver-library-path": "spark.driver.extraLibraryPath", "--executor-memory": "spark.executor.memory",
		"--executor-cores": "spark.executor.cores", "--total-executor-cores": "spark.cores.max", "--num-executors": "spark.executor.instances",
		"--jars": "spark.jars", "--files": "spark.files", "--archives": "spark.archives", "--py-files": "spark.submit.pyFiles",
		"--packages": "spark.jars.packages", "--exclude-packages": "spark.jars.excludes", "--repositories": "spark.jars.repositories",
		"--queue": "spark.yarn.queue", "--principal": "spark.kerberos.principal", "--keytab": "spark.kerberos.keytab",
	}
	for option, key := range keys {
		c, err := Parse([]string{"--conf", key + "=1", "pi"})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := Resolve(c, Input{Dir: "/w", BuiltIn: builtIn})
		if s, set := a.Get(option); !set || s.Value != "1" || s.Key != key {
			t.Errorf("%s by %s: %+v", option, key, s)
		}
		if c, err = Parse([]string{option, "1", "pi"}); err != nil {
			t.Fatal(err)
		}
		a, _ = Resolve(c, Input{Dir: "/w", BuiltIn: builtIn})
		if s, set := a.Get(option); !set || s.Key != key || s.From.Place != option {
			t.Errorf("%s: %+v, want the setting %s", option, s, key)
		}
	}
	c, err := Parse([]string{"--conf", "spark.driver.supervise=true", "pi"})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := Resolve(c, Input{Dir: "/w", BuiltIn: builtIn})
	if _, set := a.Get("--supervise"); set || a.options["--name"].Key != "spark.app.name" {
		t.Errorf("a switch that was not given, and the name: %+v", a.options)
	}
	var own []string
	for _, o := range Options() {
		if o.Own {
			own = append(own, o.Name)
		}
	}
	if _, found := Find(""); found || !slices.Equal(own, []string{"--dry-run", "--output"}) {
		t.Errorf("our own: %q; an empty name is an option: %t", own, found)
	}
}
