// Package election elects one of several Masters, and keeps what it must not forget on all of them: the recovery mode RAFT.
// Spark has no such mode; there ZooKeeper elects and keeps. Here the Masters need no other service: the endpoint Election lives
// beside the endpoint Master, and speaks to the Elections of the other Masters by messages like all others (deploy.RequestVote,
// AppendEntries and so on), over the Master's port. The algorithm is go.etcd.io/raft, which has neither clock, network nor
// disk; this package gives it those of its Env.
//
// # What a Master gets
//
// [master.ElectedLeader] when it leads, with the term, which becomes its master_term: the higher one is right. The message comes
// when an entry of its own term is committed and applied, and so is everything that earlier leaders committed: what
// [Store.Load] reads is complete. [master.RevokedLeadership] when it leads no more; a Master ends then, with exit code 0.
//
// [Store.Write] returns when a majority has the changes on its disks and this Master has applied them. Writes that come
// together are one write of the disk. A Write that fails with ErrLeadershipLost may have happened: the next leader has it
// if a majority got it in time. One that fails with ErrNotLeader or ErrTooLarge has not.
//
// # Time
//
// Elections are a function of the seed. Raft itself draws its election time-outs from crypto/rand, so this package never uses
// them: only a leader ticks inside raft (Config.Heartbeat), where ticks send heartbeats and count the answers. A leader that
// no majority answers for 5 to 10 heartbeats steps down (raft's CheckQuorum). All others wait by timers of their Context. A
// Master whose leader was silent for Config.Silence, a second, calls raft's ForgetLeader: until then it votes for no other.
// From 0.1 to 1 second later, drawn from Context.Rand, it calls raft's Campaign; if nothing comes of that, again after 0.3 to 1
// second, and after 1 to 2 seconds when it gave its vote to another or led itself. When it starts it waits 0.1 to 1 second. A
// campaign asks first whether a majority would vote (raft's PreVote), so a Master that was cut off disturbs no leader when it
// is back. So the next leader comes within 2 seconds and two round trips after the end of the last, or within 3 if two Masters
// stood at the same instant.
//
// # The disk
//
// What must survive a crash goes through a [Log]: term and vote, entries, snapshots. Votes and confirmations of entries are
// sent when what they say is durable (raft's AsyncStorageWrites); heartbeats and entries for others do not wait for this
// Master's own disk. One write is under way at a time; what comes meanwhile is the next. A Master that cannot write ends,
// with exit code 1, and the others go on.
//
// When changes of Config.SnapshotBytes, or of the size of the state, have been applied, the state is written down and the
// entries before it are dropped. A peer that is too far behind gets the state in one message (deploy.InstallSnapshot).
//
// # The group
//
// All Masters of a group have the same peers, by their settings or because they found each other before the election (cluster/node).
// The group never changes. Numbers in votes are places in the sorted list of addresses. Messages carry a digest of that list; a Master
// ignores messages with another digest, with an event of the trace and a line of the log that say so. The log holds its Master's address
// and group: ErrPeersChanged.
//
// A Master without a log asks all others before it takes part (deploy.RequestGroup): a group begins when all have answered
// once. If one of them has met it as a member, it lost its log; so it did if one that might have met it is without its own. It
// takes part again: with the highest term of all others as its own and its vote there spent, and it gives no vote until it has
// what a leader has committed in the leader's own term. For that a majority must still have their logs; else it ends with
// ErrLogLost, since what was committed is unknown.
//
// A Master that has a log asks the others too, once each, before it takes part: did it acknowledge more than it has? Each
// remembers, while its process lives, the latest term, vote and entry that another reported to be on its disk. A log without
// them is an old copy: the line that says so names the file. It is worth as little as a lost one: its vote is spent, a leader
// begins anew with it, and it gives no vote until it has what the leader has committed. A leader that takes it to have more
// than it has, because its answer was lost, makes it ask again. The others also say what they know to be committed, which is on
// their disks: it votes for no log that ends before that, and does not stand itself. It does not wait for one that does not
// answer within 0.2 seconds, so that two of three can begin; what only that one knows stays unknown.
//
// What raft would take as a fault of its own, entries that do not follow each other or a heartbeat about entries that never
// were, is ignored with an event: peers are not trusted. (Elections do trust what a peer says: any process that can send from
// the address of a Master can disturb them. Nothing authenticates peers.)
package election
