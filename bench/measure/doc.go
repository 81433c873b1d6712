// Package measure is what all contenders of the bench have in common: the message, the window of each sender, the counters, the
// clock, the histogram, and the lines by which a contender's process gets its orders. A contender only carries
// messages from the sending side, a [Tell] or an [Ask], to a [Sink] and back, or does the operations that [Ops] wants, and so
// cannot count differently. [Cases] names what there is to measure, and each contender names those of them that it can do.
//
// # Tells
//
// The receiver counts. It acknowledges each half of the window, so at most [Spec].InFlight messages are sent and not
// acknowledged: that is what in flight means for a tell. The acknowledgement is a message like the others, and the same
// for all contenders. The last message of a batch is marked; the batch is over when the acknowledgement of that message arrives,
// since the receiver then has all before it. A contender that loses, repeats or reorders a message fails the trial.
//
// Each SampleEvery-th message carries the time when it was made, and the receiver takes its age. Both read the wall clock of
// one machine. The other messages are one message, sent again and again: it costs no allocation, so what is counted is
// what the contender allocates.
//
// # Asks
//
// The asker keeps InFlight asks under way and takes the time of each, from before it is handed over until its answer is
// handed back. The answer is the question.
//
// # Operations
//
// A contender does as many operations at a time as [Spec].InFlight says, and [Ops] takes the time of each, from Next to Done. The last
// one of a batch begins when all others are done.
//
// # Batches
//
// A trial is two batches: one that warms up and one that is measured. Time begins with the first message of a batch and
// ends with its last acknowledgement, answer or operation. Allocations and CPU time are those of both processes, the Go runtime's own
// included.
package measure
