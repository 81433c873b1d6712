// Package trace says what happened in a run: it joins what processes recorded into one picture, and answers questions about
// it. Imports run one way: trace/show, which writes it for people, imports trace; trace imports trace/record, the Recorder
// and its files; the runtime needs trace/record alone.
//
// Identity costs no bytes on the wire. A connection has a random id from its handshake, both ends count the messages of
// each direction, so (connection, direction, ordinal) names a message at its sender and at its receiver alike. What an
// endpoint handles inside its own process is named by (Env, ordinal).
//
// What a handler does is caused by the item that it handles. Each item has one cause: a message or an ask, the item in
// whose handling it was sent; a reply or a failure, the ask; a tick of a timer and the result of a Run, the item that
// armed it; a connection event, an outside event and OnStart, none.
//
// [Merge] joins the files of several processes into one [Trace], a [Follower] while they are written. A Trace is kept as
// JSONL (coherer-trace/1). A [Filter] chooses messages, FROM->TO:MESSAGE; CausesOf finds what led to one.
package trace
