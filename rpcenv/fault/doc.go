// Package fault has the faults of a network, its machines and its processes as data: they are written, read, kept,
// generated and shrunk, and a simulation applies them (package sim).
//
// A [Fault] is one line, by the words of scripts:
//
//	cut A B [oneway]                     nothing goes from A to B, nor back; what is sent waits, as under TCP
//	heal A B [oneway]                    ends a cut: what waited arrives, in order
//	delay A B D                          adds D to the way from A to B; 0s ends it
//	lose A B P [oneway]                  loses packets beside connections, such as gossip's, with a probability; 0 ends it
//	latency MIN MAX                      how long a packet takes, from now on, between any two
//	drop PATTERN [n=N] [for=D] [p=P]     loses messages, as a fault of the software would: the connection goes on
//	duplicate PATTERN ...                messages arrive twice
//	delay PATTERN by=D ...               messages arrive later, and hold up what follows on their connection
//	reorder PATTERN [by=D] ...           messages arrive later (10ms), and what follows may overtake them
//	pause NAME                           as SIGSTOP: nothing of the process runs, its packets and timers wait
//	resume NAME                          as SIGCONT
//	kill NAME                            as kill -9
//	vanish NAME                          the machine is gone without a word: connections to it are half open
//	restart NAME                         the process ends, if it runs, and a new one takes its place and address
//	reset A B D                          A's connections with B end: A sees it at once, B after D
//	cost PLACE MESSAGE D                 handlers of MESSAGE at PLACE, as in a pattern, take D of time
//	threads ENV N                        an Env has N threads for handlers that take time; 0 is no limit
//
// A PATTERN is FROM->TO:MESSAGE, a [trace.Filter], whose names may be those of processes too. A rule acts on the next N
// messages that fit, for the time D after it began, on each with the probability P; without n, for and p it acts on all, for
// ever. An answer has the name of its question.
//
// A [Plan] is a list of faults with their times:
//
//	plan seed=17 trace=6a09e667f3bcc908
//	at 1.5s cut A B oneway
//	at 2s drop A->B:Heartbeat n=1
//
// Whatever is printed parses back to the same. Errors name line and column.
package fault
