// Package scenario runs scripts about clusters: golden message sequences, in a simulation, in one process and over TCP.
//
// A script is a text file of blocks. Each block is a list of verbs, a line "----", and what followed: the messages that
// were exchanged, as a forest by cause (show.Forest), so that it is the same in every world. Ids print as $NAME, fields
// that say where or when are left out, a repeated tick is printed once with its count.
//
//	cluster worlds=(sim,local,tcp) seed=1 [K=V ...]     first: where the script runs, and settings; with membership=true each
//	                                                    daemon, driver and ApplicationMaster is a member of one cluster (local.Ring)
//	start master NAME [membership=true] [recovery=FILESYSTEM]
//	                                                    with recovery it has records, which it finds when it is restarted
//	start master NAME recovery=RAFT peers=NAME,NAME,NAME
//	                                                    one of several Masters, of which one leads; where they are used,
//	                                                    master=NAME,NAME,NAME
//	start worker NAME master=NAME [cores=N] [memory=2g] [membership=true]
//	                                                    with membership=true it is a member when its Master, which is one,
//	                                                    has named its gossip; master=none leaves it to find its Master so
//	start resourcemanager NAME recovery=NONE            a ResourceManager of YARN; with FILESYSTEM it has records
//	                                                    queues=(NAME:WEIGHT,...) are those of its FairScheduler
//	start nodemanager NAME [rm=RM] [cores=N] [memory=8g] [rack=RACK]
//	start master NAME store=NAME election=true          one of several Masters over records that all see
//	elect NAME                                          makes this one of them the leader, in the next term
//	disk SIZE                                           of each executor that starts from now on, such as 4k
//	damage BLOCK                                        flips a byte of a block on the disk of an executor, such as shuffle_0_1_0
//	corrupt STORE NAME                                  makes the record of an application or a Worker unreadable
//	app NAME master=NAME [max=CORES] [cores=N] [memory=512m] [executors=N] [exit=CODE [after=D] [healthy=ID]]
//	                                                    an application without a program: its executors are stand-ins,
//	                                                    which end after D, but for the healthy one
//	peer NAME [in=OTHER]                                an endpoint that hears numbers, say FROM TO [n=N] sends them, and
//	                                                    heard NAME prints what came
//	suspect NAME                                        another member says falsely that it does not answer; it refutes
//	submit NAME PROGRAM [ARG ...] master=NAME [K=V ...]  a driver that runs a built-in program
//	submit NAME PROGRAM [ARG ...] master=NAME deploy-mode=cluster [supervise=true] [cores=N] [memory=2g] [K=V ...]
//	                                                    the same on a Worker: the process NAMEClient submits it
//	                                                    with a ResourceManager's name: on YARN, in the application master;
//	                                                    a driver in client mode has an application master called AM
//	application kill|status N NAME [master=RM]          a process NAME ends, or asks for, the N-th application on YARN
//	driver kill|status N NAME master=NAME               a process NAME ends, or asks for, the N-th driver in cluster mode
//	release NAME                                        lets a program begin that was submitted with hold=true
//	stop NAME | kill NAME                               in good order | as kill -9
//	decommission NAME                                   a Worker gets the signal spark.worker.decommission.signal
//	run until=FROM->TO:MESSAGE [n=1] [within=30s]       until it was handled, since the block or the run before, then until
//	                                                    nothing is under way
//	run exit=NAME [within=30s]                          until a process has ended
//	run done=NAME [within=30s]                          until a program has ended
//	run refused=NAME [within=30s]                       until a connection of a process was refused
//	settle                                              until nothing is under way
//	advance D                                           of virtual time
//	restart NAME                                        kill it, if it runs, and start it as it was started
//	cut, heal, delay, lose, latency, drop, duplicate, reorder, pause, resume, vanish, reset, cost, threads
//	                                                    faults, as package rpcenv/fault has them; calm ends those that last
//	at TIME VERB ...                                    the verb at a time, counted from the beginning, while the script
//	                                                    advances
//	books NAME                                          prints what a Master knows
//	why APP [master=M]                                  prints why an application waits
//	waits PEER/ENDPOINT [MESSAGE]                       prints how long messages waited for their handler
//	hide                                                the messages of this block are not printed
//	invariants ID ...                                   the rules of package invariant that the script is about
//	historic ID [FAULT] | historic none REASON          the fault of Spark's that Options.Upstream turns on: an id of
//	                                                    coherer.compat, or a fault that does what the old code did
//	exit NAME                                           prints the exit code
//	result NAME                                         prints what a program returned
//
// FROM->TO:MESSAGE is a trace.Filter. advance, app, books, peer and the faults want worlds=(sim).
//
// All rules of package invariant watch a simulation. [Script.Run] judges a script by them and by its expected output; the
// [Library] has the faults of public bug reports under their ids. A [Life] is a script that a seed wrote: storms of faults, and
// calms between them in which the cluster recovers; [Life.Shrink] finds its shortest part that breaks a rule.
package scenario
