// Package broadcast cuts the value of a Broadcast (package rdd) into pieces and puts it together again, and keeps the pieces of a driver. It
// mirrors org.apache.spark.broadcast.TorrentBroadcast.
//
// # How a value travels
//
// The driver encodes the value once, compresses it (Snappy, with spark.broadcast.compress) and cuts it into pieces of
// spark.broadcast.blockSize, blocks named broadcast_ID_pieceN. BlockManagerMaster knows who has each. An executor fetches the pieces in
// random order, keeps each in its block manager and reports it at once. So executors that begin together have different pieces soon, and
// take the rest from each other: the driver sends about one copy, whatever their number.
//
// # What is checked
//
// The argument of a job carries the number of pieces, the size of the value and the checksum of each piece (Adler-32, with
// spark.broadcast.checksum). What has no or another checksum, or another size, is no value.
package broadcast
