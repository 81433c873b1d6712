// Package spark is what Master and Worker serve over HTTP: their pages, /json and /metrics, the actions of a Master's page, and the
// logs of what a Worker ran. It mirrors org.apache.spark.deploy.master.ui and org.apache.spark.deploy.worker.ui.
package spark
