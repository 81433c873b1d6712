// Package executor is the executor's side of a driver: it registers, runs tasks, keeps their map outputs and sends
// heartbeats.
//
// An executor's process goes the way of org.apache.spark.executor.CoarseGrainedExecutorBackend: a short-lived Env in
// client mode, the fetcher, asks the driver for its settings (FetchConfig); a second one looks the driver's endpoints up
// and has the endpoint Executor (Start). It never listens: the driver talks to it over the connection that it opened. Only
// its blocks are served at an address of their own.
//
// A task computes a partition of a job's lineage (package rdd). What it reads and writes it gets from IO, which package
// cluster supplies. Tasks run as bodies of rpcenv.Run, one a core; the endpoint itself only keeps books.
package executor
