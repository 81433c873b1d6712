// Package raftlog keeps the log of an election in a file: bbolt, whose commits are durable and whole. It is package election's
// Log in a real process.
//
// Each record carries a checksum, since bbolt's pages have none: a file that something else wrote into is an error, and not
// believed. (What breaks bbolt's newest header alone looks like a crash in the last write: the file is as it was before it.)
// A file belongs to one process at a time.
package raftlog
