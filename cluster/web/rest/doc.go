// Package rest is the server that takes submissions of drivers by HTTP, on port 6066. It mirrors
// org.apache.spark.deploy.rest.StandaloneRestServer: the same paths below /v1/submissions, the same JSON, the same codes.
//
// The server has no state. Each request is checked, turned into a message and asked of the Master, within the pages' patience;
// a body is at most 4 MiB. Everybody who reaches the server can run programs on the Workers. So it is off by default, listens on
// loopback by default and refuses what a foreign page in a browser sends. With coherer.rest.tokenFile every request has to
// bring a token.
package rest
