// Package web is what the pages of all daemons have in common: the server, the guard against foreign pages, the form of a page, and
// the reading of logs. Package spark beside it has the pages of Master and Worker with their /json and /metrics, package hadoop those of
// ResourceManager and NodeManager with the REST server below /ws/v1/cluster; package rest takes submissions.
//
// A server has no state of its own. Each request asks an endpoint, and waits for at most some seconds; when the endpoint does not
// answer, the request fails with 503. Each server bounds what a client can cost: times for head, body and answer, the size of the
// head, and the number of requests at once.
//
// Everybody who reaches the address of a server may use it; that is loopback unless the user sets another. The danger is a browser
// that a foreign page sends here. So a request whose Host is none of the server's names is refused: else a page could read all
// through a name that its owner points at 127.0.0.1 (DNS rebinding). A POST from another origin is refused too.
// Names, users, reasons and addresses come from peers: pages escape them, and log pages open only plain files under the work
// directory, and follow no link.
package web
