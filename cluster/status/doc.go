// Package status shows on one screen how a cluster fares. Of a standalone cluster: its Masters, what is used of its Workers, what
// runs, what waits and what blocks it, and what failed last and why; of YARN the same of its nodes, queues and applications. It
// asks the Masters or the ResourceManager; the reasons are theirs.
package status
