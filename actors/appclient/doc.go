// Package appclient is the endpoint by which a driver speaks to the Master of a standalone cluster: it registers the
// application, hears of its executors, and asks to end them. It mirrors
// org.apache.spark.deploy.client.StandaloneAppClient. It reports what it learns to an endpoint of the same Env, the
// [Config.Listener], by Local messages named after the methods of StandaloneAppClientListener.
//
// Registration: all Masters at once, three tries 20 s apart, then [Dead]. After that the connection to the Master may
// end: the listener hears of it once ([Disconnected]), and the executors run on.
//
// # Differences from Spark
//
//   - When every Master refuses the connection the next try comes after 1 s instead of 20: no slow answer can be under way.
//     (TestProtocol/registration_refused)
//   - A second RegisteredApplication (a retry that overtook a slow first answer, or a second Master) does not replace the
//     first: one with another id is unregistered at once, so that no ghost holds cores. (TestProtocol/registration)
//   - The same holds for a RegisteredApplication that comes after the client gave up. (TestProtocol/registration_tries)
//   - StopAppClient sends the listener nothing: the sender knows already. (TestProtocol/stop)
//   - Messages of an earlier leadership than the latest heard of are refused, unless the Master that led last sends them.
//     Spark has no leader term. (TestProtocol/terms)
//   - While the connection to the Master is lost the client asks it, each spark.starvation.timeout, whether it knows the
//     application: one that was started again without its records does not, and never calls.
//     (TestProtocol/master_lost)
//   - A new Master hears how many executors of each profile the driver wants; Spark's waits until that changes.
//     (TestProtocol/targets)
package appclient
