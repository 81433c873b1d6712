// Package trace records what happened in a run and shows it.
//
// Identity costs no bytes on the wire. A connection has a random id from its handshake, both ends count the messages of
// each direction, so (connection, direction, ordinal) names a message at its sender and at its receiver alike. What an
// endpoint handles inside its own process is named by (Env, ordinal).
//
// What a handler does is caused by the item that it handles. Each item has one cause: a message or an ask, the item in
// whose handling it was sent; a reply or a failure, the ask; a tick of a timer and the result of a Run, the item that
// armed it; a connection event, an outside event and OnStart, none.
//
// A [Recorder] belongs to a process or to a simulated world. It keeps records in memory or appends them to a file of
// length-prefixed protobuf records ([tracepb]: messages/trace). [Merge] joins the files of several processes into one
// [Trace], which is written as JSONL (coherer-trace/1), as a table, as a sequence diagram (Mermaid or SVG), and as the
// forest by cause that golden scripts compare.
//
// [tracepb]: github.com/coherer/coherer/messages/trace
package trace
