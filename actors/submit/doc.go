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
//
// # Differences from Spark
//
//   - A primary resource that is neither .jar, .py, .R, a shell nor spark-internal is a Go program: it needs no --class, does
//     not go into spark.jars, and the name of a built-in application stays as it is. In cluster mode it is named by an
//     absolute path or an address, and only the variables of Spark go along, not the whole environment. (TestGoPrograms)
//   - --master yarn://HOST:PORT is yarn with that ResourceManager. (TestAResourceManagerInTheMasterURL)
//   - A Go program on YARN finds its ResourceManager by spark.hadoop.yarn.resourcemanager.address too, without HADOOP_CONF_DIR
//     or YARN_CONF_DIR; what yarn-site.xml in these says becomes settings spark.hadoop.yarn.*. (TestGoProgramsOnYARN)
//   - The refusal of an unknown option names a similar one, and one error lists all faults of a submission.
//     (TestUnknownOptions, TestAllFaultsAreTold)
//   - An option that a Go program has no use for, on its cluster and in its mode, is refused when the program would miss what
//     the user asked for, such as --proxy-user or on a standalone cluster --files; else a warning names it. spark-submit ignores
//     --num-executors, --queue or --supervise in silence where they mean nothing.
//     (TestEachOptionIsUsedRefusedOrWarnedOf, TestASettingIsRefusedAsItsOption, TestOptionsOfKillAndStatus)
//   - Executors that could take no task are refused here, before a driver is started. (TestExecutorsThatTakeNoTaskAreRefused)
//   - A value may contain line ends: spark-submit does not know --key=value then. Blanks around --conf's key and value do
//     not matter. (TestValuesAsTheyCome)
//   - spark.driver.supervise=true in a file or in --conf supervises; in Spark it is overwritten when --supervise is missing.
//     (TestSuperviseBySetting)
//   - A master URL with a fault, such as spark://h without a port, is refused before anything is started; in Spark the driver
//     refuses it. (TestMasterForms)
//   - Nothing is fetched, unpacked, resolved by Ivy or expanded from * here, and paths become absolute without following
//     symbolic links; notes of the Decision say what Spark would do. (TestNotes)
//   - Where Spark passes null for missing Python files, the argument is empty. (TestClientMode)
package submit
