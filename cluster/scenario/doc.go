// Package scenario runs scripts about clusters: golden message sequences, in a simulation, in one process and over TCP.
//
// A script is a text file of blocks. Each block is a list of verbs, a line "----", and what followed: the messages that
// were exchanged, as a forest by cause (trace.Forest), so that it is the same in every world. Ids print as $NAME, fields
// that say where or when are left out, a repeated tick is printed once with its count.
//
//	cluster worlds=(sim,local,tcp) seed=1 [K=V ...]     first: where the script runs, and settings
//	start master NAME [membership=true] [recovery=FILESYSTEM]
//	                                                    with recovery it has records, which it finds when it is restarted
//	start master NAME recovery=RAFT peers=NAME,NAME,NAME
//	                                                    one of several Masters, of which one leads; where they are used,
//	                                                    master=NAME,NAME,NAME
//	start worker NAME master=NAME [cores=N] [memory=2g] [membership=true]
//	                                                    with membership=true it hears of the others (local.Ring), and
//	                                                    master=none leaves it to find its Master so
//	suspect NAME                                        the other members hear that it does not answer
//	submit NAME PROGRAM [ARG ...] master=NAME [K=V ...]  a driver that runs a built-in program
//	submit NAME PROGRAM [ARG ...] master=NAME deploy-mode=cluster [supervise=true] [cores=N] [memory=2g] [K=V ...]
//	                                                    the same on a Worker: the process NAMEClient submits it
//	driver kill|status N NAME master=NAME               a process NAME ends, or asks for, the N-th driver in cluster mode
//	release NAME                                        lets a program begin that was submitted with hold=true
//	stop NAME | kill NAME                               in good order | as kill -9
//	decommission NAME                                   a Worker gets the signal spark.worker.decommission.signal
//	run until=FROM->TO:MESSAGE [n=1] [within=30s]       until it was handled, since the block or the run before, then until
//	                                                    nothing is under way
//	run exit=NAME [within=30s]                          until a process has ended
//	run done=NAME [within=30s]                          until a program has ended
//	settle                                              until nothing is under way
//	advance D                                           of virtual time
//	restart NAME                                        kill it, if it runs, and start it as it was started
//	cut, heal, delay, latency, drop, duplicate, reorder, pause, resume, vanish, cost, threads
//	                                                    faults, as package rpcenv/fault has them
//	exit NAME                                           prints the exit code
//	result NAME                                         prints what a program returned
//
// FROM->TO:MESSAGE is a trace.Filter. advance and the faults want worlds=(sim).
package scenario
