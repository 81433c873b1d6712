// Package appclient is the endpoint by which a driver speaks to the Master of a standalone cluster: it registers the
// application, hears of its executors, and asks to end them. It mirrors
// org.apache.spark.deploy.client.StandaloneAppClient. It reports what it learns to an endpoint of the same Env, the
// [Config.Listener], by Local messages named after the methods of StandaloneAppClientListener.
//
// Registration: all Masters at once, three tries 20 s apart, then [Dead]. After that the connection to the Master may
// end: the listener hears of it once ([Disconnected]), and the executors run on.
package appclient
