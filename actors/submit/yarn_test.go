package submit

import "testing"

func TestTheApplicationMaster(t *testing.T) {
	const end = " --properties-file {{PWD}}/__spark_conf__/__spark_conf__.properties --dist-cache-conf {{PWD}}/__spark_conf__/__spark_dist_cache__.properties 1> <LOG_DIR>/stdout 2> <LOG_DIR>/stderr"
	const logs = " -Dspark.yarn.app.container.log.dir=<LOG_DIR> "
	for _, c := range []struct {
		line string
		want AM
	}{
		{"--deploy-mode cluster --driver-memory 4g --driver-cores 2 --queue q --name n --class C app.jar a $b", AM{
			Name: "n", Queue: "q", Type: "SPARK", MemoryMB: 4096 + 409, HeapMB: 4096, OverheadMB: 409, Cores: 2,
			Command: "{{JAVA_HOME}}/bin/java -server -Xmx4096m -Djava.io.tmpdir={{PWD}}/tmp" + logs +
				`org.apache.spark.deploy.yarn.ApplicationMaster --class 'C' --jar file:/w/app.jar --arg 'a' --arg '\$b'` + end,
		}},
		{"--driver-memory 4g --driver-cores 2 --name n --class C app.jar a", AM{
			Name: "n", Queue: "default", Type: "SPARK", MemoryMB: 512 + 384, HeapMB: 512, OverheadMB: 384, Cores: 1,
			Command: "{{JAVA_HOME}}/bin/java -server -Xmx512m -Djava.io.tmpdir={{PWD}}/tmp" + logs +
				"org.apache.spark.deploy.yarn.ExecutorLauncher --arg 'DRIVER'" + end,
		}},
		{"--conf spark.yarn.am.memory=8g --conf spark.yarn.am.memoryOverhead=100 --conf spark.yarn.am.cores=3 --conf spark.yarn.maxAppAttempts=2 --conf spark.yarn.am.extraLibraryPath=/l --conf spark.yarn.am.extraJavaOptions=-Da=b main.py", AM{
			Name: "main.py", Queue: "default", Type: "SPARK", Attempts: 2, MemoryMB: 8192 + 100, HeapMB: 8192, OverheadMB: 100, Cores: 3,
			Command: `LD_LIBRARY_PATH="/l:$LD_LIBRARY_PATH" {{JAVA_HOME}}/bin/java -server -Xmx8192m -Djava.io.tmpdir={{PWD}}/tmp '-Da=b'` + logs +
				"org.apache.spark.deploy.yarn.ExecutorLauncher --arg 'DRIVER'" + end,
		}},
		{"--deploy-mode cluster --conf spark.driver.memoryOverheadFactor=0.5 main.py 1", AM{
			Name: "main.py", Queue: "default", Type: "SPARK", MemoryMB: 1024 + 512, HeapMB: 1024, OverheadMB: 512, Cores: 1,
			Command: "{{JAVA_HOME}}/bin/java -server -Xmx1024m -Djava.io.tmpdir={{PWD}}/tmp" + logs +
				"org.apache.spark.deploy.yarn.ApplicationMaster --class '" + pythonRunner + "' --primary-py-file main.py --arg '1'" + end,
		}},
	} {
		d, err := decide(t, "--master yarn "+c.line, Input{})
		switch {
		case err != nil || d.AM == nil:
			t.Errorf("%s: %v", c.line, err)
		case *d.AM != c.want:
			t.Errorf("%s:\n%+v\nwant:\n%+v", c.line, *d.AM, c.want)
		}
	}
	for option, want := range map[string]string{
		"-Dspark.a=1": "spark.yarn.am.extraJavaOptions is not allowed to set Spark options (was '-Dspark.a=1').",
		"-Xmx1g":      "spark.yarn.am.extraJavaOptions is not allowed to specify max heap memory settings (was '-Xmx1g'). Use spark.yarn.am.memory instead.",
	} {
		if _, err := decide(t, "--master yarn --conf spark.yarn.am.extraJavaOptions="+option+" main.py", Input{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", option, err, want)
		}
	}
	if d, err := decide(t, "--master yarn --conf spark.task.cpus=many main.py", Input{}); err != nil || d.AM != nil {
		t.Errorf("a malformed setting: %+v, %v", d, err)
	}
}
