package submit

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

var builtIn = []string{"pi", "sleep"}

// decide is the decision on a command line in an environment; what is missing of the input is filled in.
func decide(t *testing.T, line string, in Input) (*Decision, error) {
	t.Helper()
	if in.Dir == "" {
		in.Dir = "/w"
	}
	if in.Env == nil {
		in.Env = map[string]string{"HADOOP_CONF_DIR": "/etc/hadoop"}
	}
	in.BuiltIn, in.Submitted = builtIn, 1234567
	c, err := Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Resolve(c, in)
	if err != nil {
		return nil, err
	}
	return Decide(a, in)
}

// expect fails when d is not as wanted. Properties are "key=value"; "!key" must not be there.
func expect(t *testing.T, d *Decision, err error, mainClass, childArgs, classPath string, properties ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if d.MainClass != mainClass {
		t.Errorf("main class %q, want %q", d.MainClass, mainClass)
	}
	if got := strings.Join(d.ChildArgs, " "); got != childArgs {
		t.Errorf("arguments %q, want %q", got, childArgs)
	}
	if got := strings.Join(d.ClassPath, " "); got != classPath {
		t.Errorf("class path %q, want %q", got, classPath)
	}
	for _, p := range properties {
		key, want, has := strings.Cut(p, "=")
		if !has {
			if s, there := d.Properties.Get(strings.TrimPrefix(key, "!")); there {
				t.Errorf("%s is set to %q (%s)", s.Key, s.Value, s.From)
			}
			continue
		}
		if s, there := d.Properties.Get(key); !there || s.Value != want {
			t.Errorf("%s = %q (%s), want %q", key, s.Value, s.From, want)
		}
	}
}

const jarJob = "--class org.SomeClass --jars one.jar,two.jar --files f1,f2 --archives a1,a2#dir --driver-memory 4g --executor-memory 5g --executor-cores 5 --num-executors 6 --total-executor-cores 7 --queue q --name beauty --conf spark.ui.enabled=false"

func TestClientMode(t *testing.T) {
	jars := "file:/w/app.jar file:/w/one.jar file:/w/two.jar"
	t.Run("standalone", func(t *testing.T) {
		d, err := decide(t, "--master spark://h:7077 "+jarJob+" app.jar arg1 arg2", Input{})
		expect(t, d, err, "org.SomeClass", "arg1 arg2", jars,
			"spark.master=spark://h:7077", "spark.submit.deployMode=client", "spark.app.name=beauty", "spark.ui.enabled=false",
			"spark.jars=file:/w/one.jar,file:/w/two.jar,file:/w/app.jar", "spark.repl.local.jars=file:/w/one.jar,file:/w/two.jar",
			"spark.files=file:/w/f1,file:/w/f2", "spark.archives=file:/w/a1,file:/w/a2#dir", "spark.driver.memory=4g",
			"spark.executor.memory=5g", "spark.executor.cores=5", "spark.cores.max=7", "!spark.executor.instances", "!spark.yarn.queue",
			"!spark.yarn.dist.jars", "spark.submit.pyFiles=", "spark.app.submitTime=1234567", "!spark.driver.supervise")
	})
	t.Run("yarn", func(t *testing.T) {
		d, err := decide(t, "--master yarn "+jarJob+" app.jar arg1 arg2", Input{})
		expect(t, d, err, "org.SomeClass", "arg1 arg2", jars,
			"spark.jars=file:/w/app.jar", "spark.yarn.dist.jars=file:/w/one.jar,file:/w/two.jar", "spark.yarn.dist.files=file:/w/f1,file:/w/f2",
			"spark.yarn.dist.archives=file:/w/a1,file:/w/a2#dir", "spark.executor.instances=6", "spark.yarn.queue=q", "!spark.cores.max", "!spark.files")
	})
	t.Run("local", func(t *testing.T) {
		d, err := decide(t, jarJob+" app.jar", Input{})
		expect(t, d, err, "org.SomeClass", "", jars, "spark.master=local[*]", "spark.driver.memory=4g", "!spark.executor.memory", "!spark.executor.cores",
			"!spark.cores.max", "spark.jars=file:/w/one.jar,file:/w/two.jar,file:/w/app.jar")
	})
	t.Run("python", func(t *testing.T) {
		d, err := decide(t, "--master spark://h:7077 --py-files a.py,lib.zip main.py 1", Input{})
		expect(t, d, err, pythonRunner, "file:/w/main.py file:/w/a.py,file:/w/lib.zip 1", "",
			"spark.submit.pyFiles=/w/a.py,/w/lib.zip", "spark.files=file:/w/a.py,file:/w/lib.zip", "!spark.jars", "!spark.yarn.isPython")
		d, err = decide(t, "--master yarn main.py", Input{})
		expect(t, d, err, pythonRunner, "file:/w/main.py ", "", "spark.yarn.isPython=true", "!spark.files")
	})
	t.Run("R", func(t *testing.T) {
		d, err := decide(t, "--master spark://h:7077 main.R 1", Input{})
		expect(t, d, err, rRunner, "file:/w/main.R 1", "", "spark.files=file:/w/main.R", "!spark.jars")
	})
	t.Run("shells", func(t *testing.T) {
		d, err := decide(t, "--class org.apache.spark.repl.Main spark-shell", Input{})
		expect(t, d, err, "org.apache.spark.repl.Main", "", "", "spark.ui.showConsoleProgress=true")
		d, err = decide(t, "pyspark-shell", Input{})
		expect(t, d, err, pythonGateway, "", "", "spark.ui.showConsoleProgress=true")
		d, err = decide(t, "--conf spark.ui.showConsoleProgress=false sparkr-shell", Input{})
		expect(t, d, err, rBackend, "", "", "spark.ui.showConsoleProgress=false")
	})
	t.Run("in a driver's pod", func(t *testing.T) {
		d, err := decide(t, "--master k8s://h:1 --conf spark.kubernetes.submitInDriver=true --class C --jars /x/lib.jar /x/app.jar", Input{})
		expect(t, d, err, "C", "", ". file:/x/app.jar file:/x/lib.jar", "spark.jars=file:/x/lib.jar", "spark.master=k8s://https://h:1")
	})
	t.Run("connect", func(t *testing.T) {
		d, err := decide(t, "--remote sc://h:15002 main.py", Input{})
		expect(t, d, err, pythonRunner, "file:/w/main.py ", "", "spark.remote=sc://h:15002", "!spark.master")
	})
}

func TestClusterMode(t *testing.T) {
	const cluster = "--deploy-mode cluster "
	t.Run("standalone by RPC", func(t *testing.T) {
		d, err := decide(t, cluster+"--master spark://h:7077 --class C --supervise --driver-memory 4g --driver-cores 5 --conf spark.driver.host=me app.jar a b", Input{})
		expect(t, d, err, legacyApp, "--supervise --memory 4g --cores 5 launch spark://h:7077 file:/w/app.jar C a b", "",
			"spark.driver.memory=4g", "spark.driver.cores=5", "spark.driver.supervise=true", "spark.jars=file:/w/app.jar", "spark.submit.deployMode=cluster", "!spark.driver.host")
		if len(d.Removed) != 1 || d.Removed[0].Key != "spark.driver.host" || !d.Inherits || !d.Supervise || d.REST {
			t.Errorf("%+v", d)
		}
	})
	t.Run("standalone by REST", func(t *testing.T) {
		d, err := decide(t, cluster+"--master spark://h:6066 --class C --conf spark.master.rest.enabled=true app.jar a",
			Input{Env: map[string]string{"SPARK_A": "1", "SPARK_HOME": "/s", "SPARK_CONF_DIR": "/c", "SPARK_ENV_LOADED": "1", "HOME": "/h"}})
		expect(t, d, err, restApp, "file:/w/app.jar C a", "", "spark.driver.supervise=false")
		if d.Inherits || !slices.Equal(d.Environment, []conf.Pair{{Key: "SPARK_A", Value: "1"}}) {
			t.Errorf("environment %v, inherits %v", d.Environment, d.Inherits)
		}
	})
	t.Run("yarn", func(t *testing.T) {
		d, err := decide(t, cluster+"--master yarn "+jarJob+" --conf spark.yarn.dist.jars=three.jar app.jar a b", Input{})
		expect(t, d, err, yarnApp, "--jar file:/w/app.jar --class org.SomeClass --arg a --arg b", "file:/w/app.jar file:/w/one.jar file:/w/two.jar",
			"spark.yarn.dist.jars=file:/w/three.jar,file:/w/one.jar,file:/w/two.jar", "!spark.jars", "spark.driver.memory=4g", "spark.executor.instances=6")
		d, err = decide(t, cluster+"--master yarn --py-files a.py main.py 1", Input{})
		expect(t, d, err, yarnApp, "--primary-py-file file:/w/main.py --class "+pythonRunner+" --arg 1", "",
			"spark.yarn.isPython=true", "spark.submit.pyFiles=file:/w/a.py", "spark.yarn.dist.pyFiles=file:/w/a.py")
		d, err = decide(t, cluster+"--master yarn main.R", Input{Env: map[string]string{"YARN_CONF_DIR": "/c", "SPARK_HOME": "/s"}})
		expect(t, d, err, yarnApp, "--primary-r-file main.R --class "+rRunner, "",
			"spark.yarn.dist.archives=file:/s/R/lib/sparkr.zip#sparkr", "spark.yarn.dist.files=file:/w/main.R")
		d, err = decide(t, cluster+"--master yarn --class C spark-internal", Input{})
		expect(t, d, err, yarnApp, "--class C", "")
	})
	t.Run("kubernetes", func(t *testing.T) {
		d, err := decide(t, cluster+"--proxy-user u --master k8s://host:1 --class C --executor-memory 5g /home/app.jar a", Input{})
		expect(t, d, err, kubernetesApp, "--primary-java-resource file:/home/app.jar --main-class C --arg a --proxy-user u", "",
			"spark.master=k8s://https://host:1", "spark.executor.memory=5g", "spark.jars=file:/home/app.jar")
		d, err = decide(t, cluster+"--master k8s://http://host:1 main.py", Input{})
		expect(t, d, err, kubernetesApp, "--primary-py-file file:/w/main.py --main-class "+pythonRunner, "")
		d, err = decide(t, cluster+"--master k8s://https://host:1 main.R", Input{})
		expect(t, d, err, kubernetesApp, "--primary-r-file file:/w/main.R --main-class "+rRunner, "")
	})
	t.Run("somebody acts for another", func(t *testing.T) {
		d, err := decide(t, cluster+"--proxy-user u --master yarn --class C app.jar", Input{})
		expect(t, d, err, yarnApp, "--jar file:/w/app.jar --class C", "")
		if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "Ignore classpath file:/w/app.jar") {
			t.Errorf("%q", d.Warnings)
		}
	})
}

func TestRefusedCombinations(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--master spark://h:1 main.py", "Cluster deploy mode is currently not supported for python applications on standalone clusters."},
		{"--master spark://h:1 main.R", "Cluster deploy mode is currently not supported for R applications on standalone clusters."},
		{"--master local[2] --class C a.jar", `Cluster deploy mode is not compatible with master "local"`},
		{"--class C a.jar", `Cluster deploy mode is not compatible with master "local"`},
		{"--master yarn --class C spark-shell", "Cluster deploy mode is not applicable to Spark shells."},
		{"--master yarn pyspark-shell", "Cluster deploy mode is not applicable to Spark shells."},
		{"--master yarn --class " + sqlShell + " spark-internal", "Cluster deploy mode is not applicable to Spark SQL shell."},
		{"--master yarn --class " + thriftServer + " spark-internal", "Cluster deploy mode is not applicable to Spark Thrift server."},
		{"--master yarn --class " + connectServer + " spark-internal", "Cluster deploy mode is not applicable to Spark Connect server."},
		{"--master mesos://h:1 --class C a.jar", `Master must either be yarn or start with spark, k8s, or local, not "mesos://h:1"`},
		{"--master yarn a.jar", "No main class set in JAR; please specify one with --class."},
		{"--master yarn main.R", "SPARK_HOME does not exist for R application in YARN mode."},
		{"--master k8s:h --class C a.jar", "Kubernetes master URL must start with k8s://."},
		{"--master k8s://ftp://h:1 --class C a.jar", "Invalid Kubernetes master scheme: ftp in Kubernetes master URL."},
	} {
		if _, err := decide(t, "--deploy-mode cluster "+c.line, Input{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
	_, err := decide(t, "a.jar", Input{JarErr: errors.New("no such file")})
	if want := "Failed to get main class in JAR with error 'no such file'.  Please specify one with --class."; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	d, err := decide(t, "a.jar", Input{JarClass: "org.Main"})
	expect(t, d, err, "org.Main", "", "file:/w/a.jar")
	if _, err := decide(t, "--py-files hdfs:/a.py main.py", Input{}); err == nil || !strings.Contains(err.Error(), "only supported for local files") {
		t.Error(err)
	}
}

func TestGoPrograms(t *testing.T) {
	d, err := decide(t, "--master spark://h:7077 pi 8", Input{})
	expect(t, d, err, "", "8", "", "!spark.jars", "spark.app.name=pi", "!spark.submit.pyFiles")
	if d.NotRun != nil || !d.BuiltIn || d.Resource != "pi" {
		t.Errorf("%+v", d)
	}
	d, err = decide(t, "--master spark://h:7077 bin/prog 8", Input{})
	expect(t, d, err, "", "8", "", "!spark.jars", "spark.app.name=prog")
	if d.NotRun != nil || d.Resource != "file:/w/bin/prog" {
		t.Errorf("%+v", d)
	}
	d, err = decide(t, "--deploy-mode cluster --master spark://h:7077,i:7077 /bin/prog 8", Input{})
	expect(t, d, err, legacyApp, "launch spark://h:7077,i:7077 file:/bin/prog prog 8", "", "!spark.jars")
	d, err = decide(t, "--deploy-mode cluster --master spark://h:7077 pi 8", Input{Env: map[string]string{"SPARK_A": "1", "HOME": "/h"}})
	expect(t, d, err, legacyApp, "launch spark://h:7077 spark-internal pi 8", "")
	if d.Inherits || len(d.Environment) != 1 || d.NotRun != nil {
		t.Errorf("%+v", d)
	}
	for line, want := range map[string]string{
		"--deploy-mode cluster --master spark://h:7077 bin/prog":            "an absolute path that every Worker sees",
		"--deploy-mode cluster --master spark://h:7077 http://x/prog":       "",
		"--deploy-mode cluster --master spark://h:7077 hdfs://x/prog":       "neither a path that every Worker sees nor an http(s) address",
		"--master spark://h:7077 http://x/prog":                             "fetch the program",
		"--master k8s://h:1 pi":                                             "master k8s://https://h:1 is not run here",
		"--master yarn pi":                                                  "",
		"--master yarn --deploy-mode cluster bin/prog":                      "",
		"--master yarn --deploy-mode cluster http://x/prog":                 "fetch the program",
		"--master yarn -c spark.hadoop.yarn.resourcemanager.address=h:x pi": "yarn.resourcemanager.address: ",
		"pi":                                      "",
		"--master local[2,3] pi":                  "",
		"--master local-cluster[2,1,1024] pi":     "",
		"--master local[0] pi":                    "local[0]: 0 is no number of at least 1",
		"--master local http://x/prog":            "fetch the program",
		"--master spark://h:7077 main.py":         "Python",
		"--master spark://h pi":                   "--master:",
		"--master spark://h:7077 --class C a.jar": "a JVM",
		"--remote sc://h:1 pi":                    "Spark Connect",
	} {
		d, err := decide(t, line, Input{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if (d.NotRun == nil) != (want == "") || want != "" && !strings.Contains(d.NotRun.Error(), want) {
			t.Errorf("%s: %v, want %q", line, d.NotRun, want)
		}
	}
}

// Paths in settings become URIs like those of options, and an option wins over its setting.
func TestPathsOfSettings(t *testing.T) {
	defaults := file(t, "d", "spark.jars a.jar,hdfs:/b.jar\nspark.files f1, f2#x\nspark.archives z.zip\nspark.submit.pyFiles p.py,/q.py\nspark.executor.memory 4g")
	d, err := decide(t, "--master spark://h:1 --class C --executor-memory 5g app.jar", Input{Defaults: defaults})
	expect(t, d, err, "C", "", "file:/w/app.jar a.jar hdfs:/b.jar", "spark.jars=file:/w/a.jar,hdfs:/b.jar,file:/w/app.jar",
		"spark.files=file:/w/f1,file:/w/f2#x,file:/w/p.py,file:/q.py", "spark.archives=file:/w/z.zip", "spark.submit.pyFiles=/w/p.py,/q.py", "spark.executor.memory=5g")
	d, err = decide(t, "--master yarn --jars c.jar main.py", Input{Defaults: defaults})
	expect(t, d, err, pythonRunner, "file:/w/main.py p.py,/q.py", "file:/w/c.jar", "spark.yarn.dist.jars=file:/w/c.jar",
		"spark.yarn.dist.files=file:/w/f1,file:/w/f2#x", "spark.yarn.dist.pyFiles=p.py,/q.py")
}

func TestSuperviseBySetting(t *testing.T) {
	d, err := decide(t, "--deploy-mode cluster --master spark://h:7077 --conf spark.driver.supervise=true /bin/prog", Input{})
	expect(t, d, err, legacyApp, "--supervise launch spark://h:7077 file:/bin/prog prog", "", "spark.driver.supervise=true")
}

func TestNotes(t *testing.T) {
	for line, want := range map[string]string{
		"--master yarn --class C --jars s3a://b/x.jar,y.jar https://h/app.jar":            "fetched first: https://h/app.jar, s3a://b/x.jar",
		"--master yarn --class C --packages g:a:1 app.jar":                                "resolved with Ivy first and added to the jars: g:a:1",
		"--master yarn --deploy-mode cluster --class C app.jar":                           "YarnClusterApplication drops spark.jars",
		"--master spark://h:1 --deploy-mode cluster prog":                                 "file:/w/prog has to be a path that every Worker sees",
		"--master spark://h:1 --deploy-mode cluster -c spark.master.rest.enabled=true /p": "the submission goes by RPC",
	} {
		d, err := decide(t, line, Input{})
		if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), want) {
			t.Errorf("%s: %v, %q, want %q", line, err, d.Notes, want)
		}
	}
}

func TestADecisionThatIsPrintedKeepsItsRows(t *testing.T) {
	d, err := decide(t, "--master spark://h:7077 pi", Input{})
	if err != nil {
		t.Fatal(err)
	}
	d.MainClass, d.Environment = "C\tD\nE", []conf.Pair{{Key: "SPARK_X", Value: "C:\\temp\nnew"}}
	var text strings.Builder
	if err := d.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"main class   " + `C\tD\nE` + "\n", "environment SPARK_X  " + `C:\temp\nnew` + "\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

func TestADecisionIsPrinted(t *testing.T) {
	d, err := decide(t, "--master spark://h:7077 --executor-memory 512m --conf spark.authenticate.secret=abc --conf spark.driver.host=me pi 8 *", Input{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := d.Write(&text); err != nil {
		t.Fatal(err)
	}
	const want = `manager      standalone
deploy mode  client
master       spark://h:7077
application  pi (program)
main class   none: the program is started itself
arguments    8 "*"
class path   none
environment  all of this process

settings:
  spark.app.name             "pi"                   submit
  spark.app.submitTime       "1234567"              submit
  spark.authenticate.secret  "*********(redacted)"  --conf
  spark.driver.host          "me"                   --conf
  spark.executor.memory      "512m"                 --executor-memory
  spark.master               "spark://h:7077"       --master
  spark.submit.deployMode    "client"               default

coherer runs this: leave --dry-run out
`
	if text.String() != want {
		t.Errorf("printed:\n%s\nwant:\n%s", text.String(), want)
	}
	data, err := json.Marshal(d.Plain())
	if err != nil || strings.Contains(string(data), "abc") || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
}
