// Package protocol is the protocol as data: every message with its sender and when it sends, its receiver, fields and answer,
// what a duplicate does, Spark's class, the handler in the source and an example from a recorded run; the endpoints; the
// conversations that messages make up; and where Coherer differs from Spark on purpose. `coherer explain` and
// messages/PROTOCOL.md are views of it.
//
// It has four sources, and a test that compares each with its origin:
//
//   - the .proto files: descriptors, options and, by protoc-gen-coherer, comments. Messages of users that are linked into
//     the program and were generated so are explained like Coherer's own;
//   - source.json: handlers, makers, endpoints and messages that stay within an Env, read from the Go source, and the tables
//     testdata/differences.txt;
//   - recordings/: the messages of runs of golden scripts of package scenario in a World, cut down to those that are shown;
//   - the list of conversations in conversations.go, each a path through a recording.
//
// After a change of messages, handlers or runs the tests say what differs, and
//
//	go test ./cluster/protocol -rewrite
//
// makes source.json, recordings/ and messages/PROTOCOL.md again.
//
// testdata/wire.txt has the numbers and types by which peers of other versions read a message. -rewrite adds new ones to it; one that
// changes fails the test.
package protocol
