// Package wire is the frames of Spark's network layer, and the TCP connections that carry them: what links (package transport)
// and downloads (package bulk) have in common.
//
// A frame is an int64 length, which counts itself, a byte of type, a header and a body; all integers are big endian. [Reader]
// reads frames, [Scanner] takes one apart, [FinishFrame] ends one that was appended. [Dial] and [Listen] make connections whose
// errors say what to do; [Acceptor] accepts them.
//
// Whatever a peer sends, at worst its own connection ends, with an error that says why: a length is checked before anything is
// allocated, and memory for a frame grows only as its bytes arrive.
package wire
