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
package yarnclient
