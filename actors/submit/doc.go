// Package submit holds the rules of spark-submit: how its command line is read, where each value comes from, and what is
// started for which cluster and deploy mode. It mirrors SparkSubmitOptionParser, SparkSubmitArguments and
// SparkSubmit.prepareSubmitEnvironment.
//
// Three steps, each a pure function: [Parse] takes the command line apart; [Resolve] looks up what it leaves open, in files
// and an environment that the caller has read into an [Input]; [Decide] says what becomes of it, as a [Decision], which can
// be printed. Nothing here reads a file, starts a process or knows the time, so a submission to YARN, to Kubernetes, in
// Python or R can be looked at without any of them. What coherer does not run has Decision.NotRun.
//
// # Precedence
//
// Options win over --conf, which wins over extra properties files (later ones over earlier ones), which win over
// --properties-file, which wins over spark-defaults.conf; that is read when no properties file is given, or with
// --load-spark-defaults. The environment (MASTER, DEPLOY_MODE, SPARK_EXECUTOR_MEMORY, ...) comes last. Settings whose keys
// begin with neither spark. nor coherer. are dropped with a warning.
package submit
