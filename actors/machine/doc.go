// Package machine makes state machines of tables: rows of a state, an event and a case lead to a state and to actions.
//
// A machine is data. Step returns what follows, and changes nothing: the owner of the state takes the new one and carries the
// actions out, in their order. A case is what the owner knows and the table cannot, such as whether a container that ended is
// the attempt's own. An event that has no row is an [*IllegalEventError]; one that comes too late to matter has a row that says
// so, see [Late].
//
// A state that saves, such as Hadoop's FINAL_SAVING, has a target: the state that follows when the record is durable. A row may
// count for one target alone.
//
// The owner of a table's state logs a step, since Spark's and Hadoop's lines, which people search for, differ from machine to
// machine; it records the step with rpcenv.Context.State.
//
// Where the owner knows the next state itself, as the Master does, no event is needed: [Moves] says which states may follow.
package machine
