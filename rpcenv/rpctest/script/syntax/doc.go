// Package syntax reads the lines of scripts: those about one endpoint (package script) and those about a cluster
// (cluster/scenario). It knows their form and no verb. It imports no testing, so that programs can run scripts too.
package syntax
