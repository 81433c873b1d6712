// Package recovery keeps the records of a Master, or of a ResourceManager, over its death: the engines behind records.Store.
//
// [Open] is recovery mode FILESYSTEM: a directory with one file for each record, app_ID, worker_ID, driver_ID, and
// master_term. It mirrors org.apache.spark.deploy.master.FileSystemPersistenceEngine. Mode NONE is no Store at all. [Memory]
// is a Store for simulations: it outlives the Env of its Master, takes the time that a test says, and fails on demand.
//
// # What the directory guarantees
//
// A file is written beside its place, and renamed: it is the old record or the new one. The changes of a Write go into one
// file first, group-N; when that is durable, so are they, however many: a Write is all or none, and costs two syncs of the
// disk. Behind it the records are put into their own files, and groups that are done removed; what a crash leaves undone
// the next Load reads from its group, and does behind itself.
// Each file has a checksum, and its key in it; a name that a file system would not take is escaped or, when it is long,
// replaced by a digest.
//
// A file that is torn, that another program changed, or whose key is not that of its name is moved to the folder bad and
// reported with its name and the reason; the rest recovers. One process at a time uses a directory, held by a lock on the
// file lock, which ends with the process.
package recovery
