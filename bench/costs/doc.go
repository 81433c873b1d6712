// Package costs holds the costs of messages that no machine changes: how many objects an operation allocates, and how many bytes it
// puts on the wire and into a recording. Its tests measure all of it and compare with testdata/costs.md, to the unit. A change that
// makes an ask allocate once more, or a heartbeat a byte longer, has to change that file in the same commit.
//
//	go test ./bench/costs            what differs, with both figures
//	go test ./bench/costs -rewrite   accepts the new figures: the diff of the file is the answer to what it costs
//
// An operation is counted at both ends together. A tell is done when it is handled, an ask when its asker has handled the
// answer. The messages are app.StatusUpdate, which executors send most, with a payload that brings its encoding to the stated
// size; the answer to an ask is the message itself.
package costs
