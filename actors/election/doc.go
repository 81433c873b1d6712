// Package election elects one of several Masters, and keeps what it must not forget on all of them: the recovery mode RAFT.
// Spark has none; there ZooKeeper elects, and keeps. Here the Masters need nobody else: the endpoint Election lives beside
// the endpoint Master, and speaks to the Elections of the other Masters by messages like all others (deploy.RequestVote,
// AppendEntries and so on), over the port that the Master has. The algorithm is go.etcd.io/raft, which has neither clock,
// network nor disk; this package gives it those of its Env.
//
// # What a Master gets
//
// [master.ElectedLeader] when it leads, with the term, which becomes its master_term: the higher one is right. It is told
// when an entry of its own term is committed and applied, and so is everything that earlier leaders committed: what
// [Store.Load] reads is complete. [master.RevokedLeadership] when it leads no more; a Master ends then, with exit code 0.
//
// [Store.Write] returns when a majority has the changes on its disks and this Master has applied them. Writes that come
// together are one write of the disk. A Write that fails with ErrLeadershipLost may have happened: the next leader has it
// if a majority got it in time. One that fails with ErrNotLeader or ErrTooLarge has not.
//
// # Time
//
// Elections are a function of the seed. Raft itself draws its election time-outs from crypto/rand, so it is never let to
// use them: only a leader ticks inside raft (Config.Heartbeat), where ticks send heartbeats and count who hears them. A
// leader that a majority did not hear for 5 to 10 heartbeats steps down (raft's CheckQuorum). All others wait by timers of
// their Context. A Master whose leader was silent for Config.Silence, a second, calls raft's ForgetLeader: until then it
// votes for nobody else. From 0.1 to 1 second later, drawn from Context.Rand, it calls raft's Campaign; if nothing comes of
// that, again after 0.3 to 1 second, and after 1 to 2 seconds when it gave its vote to another or led itself. When it starts it
// waits 0.1 to 1 second. A campaign asks first whether a majority would vote (raft's PreVote), so that a Master that was cut
// off disturbs nobody when it is back. So after the end of a leader there is another within 2 seconds and two round trips,
// or 3 if two stood at the same instant.
//
// # The disk
//
// What must survive a crash goes through a [Log]: term and vote, entries, snapshots. Votes and confirmations of entries are
// sent when what they say is durable (raft's AsyncStorageWrites); heartbeats and entries for others do not wait for this
// Master's own disk. One write is under way at a time; what comes meanwhile is the next. A Master that cannot write ends,
// with exit code 1, and the others go on.
//
// When changes of Config.SnapshotBytes, or of the size of the state, have been applied, the state is written down and the
// entries before it are forgotten. A peer that is too far behind gets the state in one message (deploy.InstallSnapshot).
//
// # The group
//
// All Masters are told the same peers, and stay that group: there is no change of members. Numbers in votes are places in
// the sorted list of addresses. Messages carry a digest of that list; who was told another one is ignored, with an event of
// the trace and a line of the log that say so. The log knows whose it is, and of which group: ErrPeersChanged.
//
// A Master without a log asks all others before it takes part (deploy.RequestGroup): a group begins when all have been
// there once. If one of them has heard of it as a member, it lost its log; the same if one that might have is without its own.
// It takes part again:
// with the highest term of all others as its own and its vote there spent, and without voting for anybody until it has what
// a leader has committed in the leader's own term. For that a majority must still have their logs; else it ends with
// ErrLogLost, since nobody can tell what was committed.
//
// A Master that has a log asks the others too, once each, before it takes part: did it acknowledge more than it has? Each
// remembers, while its process lives, the latest term, vote and entry of which another said that they are on its disk. A
// log without them is an old copy: the line that says so names the file. It is worth what a lost one is: its vote is spent,
// a leader begins anew with it, and it votes for nobody until it has what the leader has committed. A leader that takes it
// to have more than it has, because its answer was lost, makes it ask again. The others also say what they know to be
// committed, which is on their disks: it votes for nobody that ends before that, and does not stand itself. One that does
// not answer within 0.2 seconds is not waited for, so that two of three can begin: what only that one knows, nobody does.
//
// What raft would take as a fault of its own, entries that do not follow each other or a heartbeat about entries that were
// never there, is ignored with an event: peers are not trusted. (What a peer says of elections is believed, though: whoever
// can send from the address of a Master can disturb them. Nothing authenticates peers.)
package election
