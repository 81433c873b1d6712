// Package compare holds a run of ours against a recording of real Spark, conversation by conversation.
//
// A conversation is what two roles say to each other: Worker and Master, Executor and Driver. Several connections of the
// same roles (two executors) are one conversation; what each says is a message by name, with the one field that says
// most (the state of a StatusUpdate, the name that the verifier is asked for), from whom, to which endpoint, one-way or
// asked. [Diff] compares
//
//   - which messages occur: what only one side has is missing or extra;
//   - the order in which they occur first on a connection, both directions in one: where every connection of the
//     recording that has two messages has them in one order, ours must not have the other;
//   - the type of the answer to an ask; one that the recording shows as bytes only may be anything.
//
// Not compared: how often a message is repeated (tasks, heartbeats), times, fields, which side opened a connection, the order
// across connections, and block transfer, which has connections of its own. What differs on purpose is listed by the
// caller as rows, each with its reason.
package compare
