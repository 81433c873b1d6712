// Package yarnclient is the client of an application on YARN: it stages the application's files, submits it, and reports its
// state until its end. It mirrors org.apache.spark.deploy.yarn.Client, over the messages of ApplicationClientProtocol.
//
// In cluster mode it is a process of its own, which ends with the application: exit code 0 when it succeeded, else 1. In
// client mode it is an endpoint of the driver's Env and reports to a listener ([Submitted], [Running], [Ended]). It also ends an
// application, or shows its state, by its id.
//
// # What is staged
//
// Copies of files go into a directory of the application's own under spark.yarn.stagingDir or the user's home:
// submit.AppFile, the application's program; in client mode submit.LibraryFile, coherer's own; the files of spark.yarn.dist.*;
// and an archive of the settings. Every NodeManager sees the directory: its URI is file:. The client removes it when the
// application has ended, or could not be submitted, as the ApplicationMaster does.
//
// # Failures
//
// An error before the submission was taken is the application's end. A ResourceManager that is gone while an application
// runs, or reads its records, is asked again, for yarn.resourcemanager.connect.max-wait.ms; then the client gives the
// application up, whose files stay. An application that the ResourceManager does not know counts as KILLED.
//
// # Differences from Spark
//
//   - The application is a Go program: it is started itself, with the first argument applicationmaster, executorlauncher or
//     executor, no JVM with a class path. No jars of Spark are staged. (TestTheLaunchContext)
//   - Executors get no archive of settings: they ask the driver. (TestExecutorsDoNotGetWhatIsOfTheApplicationMaster)
//   - A ResourceManager that does not answer when an application is submitted is an error at once; Hadoop tries for a quarter
//     of an hour. (TestNoResourceManager)
//   - A driver in client mode that ends before its ApplicationMaster has registered ends the application; Spark leaves it waiting.
//     (TestADriverThatEndsTooEarlyGivesTheApplicationUp)
//   - --kill and --status know ids of YARN; Spark leaves them to the yarn command. (TestKill, TestStatus)
//   - spark.yarn.unmanagedAM.enabled is refused. (TestRefusals)
package yarnclient
