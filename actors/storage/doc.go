// Package storage has the endpoints that keep the books of blocks. At the driver: BlockManagerMaster, which knows the
// block managers of the executors, and BlockManagerMasterHeartbeat, which executors look up and, as was observed of real
// Spark, never send to. It mirrors org.apache.spark.storage.BlockManagerMasterEndpoint and
// BlockManagerMasterHeartbeatEndpoint.
package storage
