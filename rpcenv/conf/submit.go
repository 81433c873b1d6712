package conf

import (
	"fmt"
	"regexp"
)

// Settings that spark-submit hands to a driver; none of them changes what a cluster does here.
var (
	Jars = optional("spark.jars", lists,
		"What the class path of driver and executors holds beside Spark; the application's own file among them.")
	Files = optional("spark.files", lists,
		"Files that every executor has in its working directory.")
	Archives = optional("spark.archives", lists,
		"Archives that are unpacked in the working directory of every executor.")
	JarsPackages = optional("spark.jars.packages", lists,
		"Maven coordinates of further jars.")
	JarsExcludes = optional("spark.jars.excludes", lists,
		"Maven coordinates to leave out of spark.jars.packages' dependencies.")
	JarsRepositories = optional("spark.jars.repositories", lists,
		"Further repositories for spark.jars.packages.")
	JarsIvy = optional("spark.jars.ivy", texts,
		"The directory in which Ivy keeps what it fetched.").awaits("fetching of Maven packages")
	ReplLocalJars = optional("spark.repl.local.jars", lists,
		"The jars of a shell as they lie on this machine.")
	SubmitPyFiles = optional("spark.submit.pyFiles", lists,
		"Python files and archives for the search path of a Python application.")
	DriverClassPath = optional("spark.driver.extraClassPath", texts,
		"What goes before the class path of the driver.")
	DriverJavaOptions = optional("spark.driver.extraJavaOptions", texts,
		"Options of the driver's JVM.")
	DriverLibraryPath = optional("spark.driver.extraLibraryPath", texts,
		"The library path of the driver.")
	Remote = optional("spark.remote", filled(texts),
		"A Spark Connect server, sc://HOST:PORT, instead of spark.master.")
	AppSubmitTime = optional("spark.app.submitTime", ints64,
		"When the application was submitted, in milliseconds since 1970; set by submit.")
	YARNQueue = entry("spark.yarn.queue", filled(texts), "default",
		"The YARN queue that an application is submitted to.")
	YARNApplicationType = entry("spark.yarn.applicationType", filled(texts), "SPARK",
		"The type under which YARN lists the application.")
	YARNMaxAppAttempts = optional("spark.yarn.maxAppAttempts", atLeast(ints, 1),
		"How often YARN starts the application master; YARN's own setting when unset.")
	YARNAMMemory = entry("spark.yarn.am.memory", atLeast(sizes(mib), 1), "512m",
		"The memory of the application master in client mode.")
	YARNAMMemoryOverhead = optional("spark.yarn.am.memoryOverhead", atLeast(sizes(mib), 0),
		"What the application master gets beside it in client mode; a tenth, 384m at least, when unset.")
	YARNAMCores = entry("spark.yarn.am.cores", atLeast(ints, 1), "1",
		"The cores of the application master in client mode.")
	YARNAMJavaOptions = optional("spark.yarn.am.extraJavaOptions", texts,
		"Options of the application master's JVM in client mode.")
	YARNAMLibraryPath = optional("spark.yarn.am.extraLibraryPath", texts,
		"The library path of the application master in client mode.")
	DriverMemoryOverhead = optional("spark.driver.memoryOverhead", atLeast(sizes(mib), 0),
		"What a driver in a container gets beside its memory; a share, with a minimum, when unset.")
	DriverMemoryOverheadFactor = entry("spark.driver.memoryOverheadFactor", above(floats, 0), "0.1",
		"The share of its memory that a driver in a container gets beside it.")
	DriverMinMemoryOverhead = entry("spark.driver.minMemoryOverhead", atLeast(sizes(mib), 0), "384m",
		"What a driver in a container gets beside its memory at least.")
	YARNDistJars = optional("spark.yarn.dist.jars", lists,
		"Jars that YARN hands to every container.")
	YARNDistFiles = optional("spark.yarn.dist.files", lists,
		"Files that YARN hands to every container.")
	YARNDistPyFiles = optional("spark.yarn.dist.pyFiles", lists,
		"Python files that YARN hands to every container.")
	YARNDistArchives = optional("spark.yarn.dist.archives", lists,
		"Archives that YARN hands to every container.")
	YARNIsPython = optional("spark.yarn.isPython", bools,
		"Whether an application on YARN is a Python one.")
	KubernetesSubmitInDriver = entry("spark.kubernetes.submitInDriver", bools, "false",
		"Whether this submission is that inside the driver's pod.")
	RedactionRegex = entry("spark.redaction.regex", expressions, "(?i)secret|password|token|access[.]?key",
		"Settings and variables whose name or value matches are not shown.")
)

// Redacted is shown instead of a secret.
const Redacted = "*********(redacted)"

// Redact is value, or Redacted when key or value matches spark.redaction.regex. It mirrors Utils.redact.
func (c *Conf) Redact(key, value string) string {
	secret := regexp.MustCompile(RedactionRegex.Get(c)) // it was checked when it was set
	if secret.MatchString(key) || secret.MatchString(value) {
		return Redacted
	}
	return value
}

// expressions are regular ones, in Go's syntax, which is Java's without look-around and back references.
var expressions = form[string]{
	name: "expression", want: "a regular expression",
	parse: func(s string) (string, error) {
		if _, err := regexp.Compile(s); err != nil {
			return "", fmt.Errorf("no regular expression: %w", err)
		}
		return s, nil
	},
	text: texts.text,
}
