// Package shufflefile is how a map output lies on a disk, so that processes other than the one that wrote it can read its blocks: an
// executor of the same host, and the external shuffle service.
//
// A map output is two files in one of its executor's directories. shuffle_S_M_0.data has the blocks of all reducers one behind the
// other. shuffle_S_M_0.index has where they lie: for R reducers R+1 offsets of eight bytes, big-endian and ascending. The block of
// reducer r begins at offset r and ends where offset r+1 says. S is the shuffle, M the id of the task attempt that wrote the output;
// the 0 is the same in all names. It mirrors Spark's IndexShuffleBlockResolver; the hash of the data file's name chooses the directory, as
// Spark's DiskBlockManager does, but without subdirectories.
//
// Both files get their names when they are whole, the index last: a process that finds an index may read the data.
//
// The files are a peer's. A reader trusts no offset: [Block] compares them with the size of the data file, and ReadIndex bounds what it reads.
package shufflefile
