// Package process makes Coherer's roles run as processes of the operating system: it starts them, reports their end, finds
// and checks their programs, and makes their work directories.
//
// The rule that everything here serves: nothing is left behind, even when the process that started others is killed by
// SIGKILL. Each child holds two ropes to its parent, since either may fail alone:
//
//   - On Linux the kernel kills it (PR_SET_PDEATHSIG) when the *thread* that forked it ends. Threads of a Go program come
//     and go, so one goroutine of a [Starter], locked to its thread, forks all children.
//   - It holds the read end of a pipe whose write end only its parent has, at the descriptor that COHERER_PARENT_FD names.
//     End of file means that the parent is gone; parent.Watch waits for it. A frozen child cannot read, hence the first
//     rope; other systems than Linux lack the first, hence the second. Both survive [Exec].
//
// Each child leads a process group of its own. [Process.Kill] ends the group; when a leader ends, the rest of its group is
// killed.
//
// A daemon that is ready says so once, in a line of JSON written to the descriptor that --ready-fd names: see [Ready].
package process
