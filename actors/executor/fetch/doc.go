// Package fetch brings the blocks of a reducer: its executor's own from their files, those of other executors in several requests at
// once. It mirrors Spark's ShuffleBlockFetcherIterator with its RetryingBlockTransferor.
//
// The reader gets the blocks in the order in which they were given, that of the map index, whatever order they come in: equal inputs
// give equal results. A block that came early waits, and counts as in flight until the reader has done with it.
//
// Remote blocks are grouped into requests: those of one executor, until they have a fifth of Limits.InFlight together or lie further apart
// than Limits.InFlight. Requests go out in the order of their first blocks, as long as the bytes in flight stay within Limits.InFlight;
// one whose block the reader waits for goes out in any case. So the bytes that are held are less than twice Limits.InFlight, and one block
// more.
//
// Only a connection that fails is tried again, and only for the blocks that have not come. A block that came damaged is asked for once
// more; when it comes damaged again its Error says whether the disk or the network is to blame. All other failures end the fetch with an
// Error, which names the block.
//
// Requests are bodies of the Env (rpcenv.Env.Go): goroutines in production, coroutines in a simulation. They share a lock with the
// reader; nobody waits with it.
package fetch
