//coherer:pure

package submit

import (
	"fmt"
	"path"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// AM is what YARN is asked for to run the application master: in cluster mode it holds the driver, in client mode it only
// asks for containers. It mirrors org.apache.spark.deploy.yarn.Client.
type AM struct {
	Name  string `json:"name"`
	Queue string `json:"queue"`
	Type  string `json:"type"`
	// Attempts is 0 when YARN's own setting rules.
	Attempts int `json:"attempts,omitempty"`
	// MemoryMB is what the container gets: HeapMB for the JVM and OverheadMB beside it.
	MemoryMB   int64 `json:"memoryMB"`
	HeapMB     int64 `json:"heapMB"`
	OverheadMB int64 `json:"overheadMB"`
	Cores      int   `json:"cores"`
	// Command is the container's. DRIVER stands for the driver's address, known when it runs.
	Command string `json:"command"`
}

// yarn decides what YARN is asked for. With malformed settings it decides nothing: the user of the Decision checks those.
func (b *build) yarn() error {
	if b.Manager != YARN {
		return nil
	}
	c, err := b.Properties.Conf(Settings, rmproxy.Settings, rpcenv.Settings)
	if err != nil {
		return nil //nolint:nilerror // the user of the Decision checks its settings
	}
	name, _ := b.Properties.Get(AppName.Key())
	am := &AM{Name: name.Value, Queue: YARNQueue.Get(c), Type: YARNApplicationType.Get(c), Attempts: YARNMaxAppAttempts.Get(c)}
	size := AMContainer(c, b.Mode)
	am.HeapMB, am.OverheadMB, am.MemoryMB, am.Cores = size.HeapMB, size.OverheadMB, size.MemoryMB(), size.Cores
	if am.Command, err = b.amCommand(c, am.HeapMB); err != nil {
		return err
	}
	b.AM = am
	return nil
}

// amFiles end the command of an application master: its settings, what executors are to have, and where its output goes.
var amFiles = []string{
	"--properties-file", "{{PWD}}/__spark_conf__/__spark_conf__.properties",
	"--dist-cache-conf", "{{PWD}}/__spark_conf__/__spark_dist_cache__.properties",
	"1>", "<LOG_DIR>/stdout", "2>", "<LOG_DIR>/stderr",
}

// amCommand is the command of the application master's container.
func (b *build) amCommand(c *conf.Conf, heapMB int64) (string, error) {
	if b.Kind == Program {
		if b.Mode == Client {
			return ProgramCommand(Client, "", "", []string{"DRIVER"}), nil
		}
		return ProgramCommand(Cluster, b.class(), b.jar(), b.args), nil
	}
	options, libraries := driverJavaOptions, driverLibraryPath
	if b.Mode == Client { // the driver runs elsewhere, so the application master has settings of its own
		options, libraries = yarnAMJavaOptions, yarnAMLibraryPath
	}
	var words []string
	if paths := libraries.Get(c); paths != "" {
		words = append(words, `LD_LIBRARY_PATH="`+paths+`:$LD_LIBRARY_PATH"`)
	}
	words = append(words, "{{JAVA_HOME}}/bin/java", "-server", fmt.Sprintf("-Xmx%dm", heapMB), "-Djava.io.tmpdir={{PWD}}/tmp")
	text := options.Get(c)
	switch {
	case b.Mode == Client && strings.Contains(text, "-Dspark"):
		return "", fmt.Errorf("%s is not allowed to set Spark options (was '%s').", options.Key(), text)
	case b.Mode == Client && strings.Contains(text, "-Xmx"):
		return "", fmt.Errorf("%s is not allowed to specify max heap memory settings (was '%s'). Use %s instead.", options.Key(), text, yarnAMMemory.Key())
	}
	extra, err := conf.SplitOptions(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", options.Key(), err)
	}
	for _, word := range extra {
		words = append(words, escapeForShell(word))
	}
	words = append(words, "-Dspark.yarn.app.container.log.dir=<LOG_DIR>")
	words = append(words, b.amArgs()...)
	return strings.Join(append(words, amFiles...), " "), nil
}

// amArgs are the class and its arguments. In client mode the driver's address is the only argument.
func (b *build) amArgs() []string {
	const pkg = "org.apache.spark.deploy.yarn."
	if b.Mode == Client {
		return []string{pkg + "ExecutorLauncher", "--arg", "'DRIVER'"}
	}
	out := []string{pkg + "ApplicationMaster"}
	args := b.args
	switch {
	case b.python():
		out = append(out, "--class", escapeForShell(pythonRunner), "--primary-py-file", path.Base(b.Resource))
	case b.r():
		args = append([]string{path.Base(b.Resource)}, args...)
		out = append(out, "--class", escapeForShell(rRunner), "--primary-r-file", path.Base(b.Resource))
	case b.Kind == Internal:
		out = append(out, "--class", escapeForShell(b.class()))
	default:
		out = append(out, "--class", escapeForShell(b.class()), "--jar", b.Resource)
	}
	for _, arg := range args {
		out = append(out, "--arg", escapeForShell(arg))
	}
	return out
}

// escapeForShell quotes a word for the shell of a container. It mirrors YarnSparkHadoopUtil.escapeForShell.
func escapeForShell(word string) string {
	return "'" + strings.NewReplacer("$", `\$`, `"`, `\"`, "'", `'\''`).Replace(word) + "'"
}
