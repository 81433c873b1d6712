// Package ui serves what a running application shows of itself, on the driver's port 4040: Spark's REST API below /api/v1, and pages of
// jobs, stages and executors. It mirrors org.apache.spark.ui.SparkUI and org.apache.spark.status.api.v1.
//
// The answers are those of Spark 4.1, field by field; the server is that of package web with its guards. There are no dumps of
// threads: a Go program has none that Spark's page could show.
package ui
