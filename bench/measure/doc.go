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
// since the receiver then has all before it. A contender fails the trial when it loses or repeats a message, or moves one past a message
// that carries a time or is the last of its batch. The messages in between are alike: the receiver does not notice when two of them change
// places, or when one comes twice and the next not at all.
//
// Each SampleEvery-th message carries the time when it was made, and the receiver takes its age by the same machine's wall clock. With
// sides on two machines no age is taken: there are two clocks. The other messages are one message, sent again and again: it costs no
// allocation, so what is counted is what the contender allocates.
//
// # Asks
//
// The asker keeps InFlight asks under way and takes the time of each, from before it is handed over until its answer is
// handed back. The answer is the question.
//
// # One-way
//
// A flood of tells has no window: the sending side sends until its time is over, as fast as the contender takes the messages,
// and the contender has to wait for room. Only the last message of a batch is acknowledged. The rate is the receiver's, from the first
// message to the last, and the age of a message holds all the time that it queued.
//
// # Operations
//
// A contender does as many operations at a time as [Spec].InFlight says, and [Ops] takes the time of each, from Next to Done. The last
// one of a batch begins when all others are done. The receiving side counts them with [Sink.Operation], or has books of its own
// ([Sink.CountBy]); a connection beside those of the contender tells it where a batch begins and ends, outside the time that is measured.
//
// # Pairs
//
// Several pairs of a sender and a receiver are counted together: from the first message of the first pair to the last
// acknowledgement of the last one. All have one clock. A pair whose warm-up is over begins the measured batch at once, while others
// have the last messages of theirs under way: allocations and CPU time of those, at most a window for each pair, fall to the
// measured batch. A message carries the number of its pair ([PairOf]); one that comes to another receiver fails the trial.
//
// # Rate
//
// With a rate the messages have a schedule, for all pairs in turn. The latency of a message counts from its intended start, as wrk2
// counts: when a receiver stands still, all messages are late that should have been sent meanwhile, not only those under way. A closed loop
// never sends these, so its percentiles cannot see them. A late message is sent as soon as the window has room. [Trial.Pace] wakes the
// contender when messages are due. On Linux it does so some 70 µs late (a timer of the Go runtime would be 800), and that counts too.
//
// A rate that was missed by more than 1 % is [Sent.Behind].
//
// # Batches
//
// A trial is two batches: one that warms up and one that is measured. Time begins with the first message of a batch and
// ends with its last acknowledgement, answer or operation. Allocations and CPU time are those of both processes, the Go runtime's own
// included.
package measure
