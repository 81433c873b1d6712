package broadcast

import "github.com/coherer/coherer/rpcenv/conf"

// Settings are those of broadcasts.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	broadcastBlockSize = conf.Declare(Settings, "spark.broadcast.blockSize", conf.Between(conf.Sizes(conf.KiB), 1, 1<<20), "4m",
		"The size of the pieces in which the value of a broadcast travels.")
	broadcastCompress = conf.Declare(Settings, "spark.broadcast.compress", conf.Bools, "true",
		"Whether the values of broadcasts are compressed (Snappy).")
	broadcastChecksum = conf.Declare(Settings, "spark.broadcast.checksum", conf.Bools, "true",
		"Whether the pieces of broadcasts have checksums; a damaged one fails the task that fetched it.")
)
