// Package eventlog writes the event log of an application to files that Spark's History Server reads. It mirrors
// org.apache.spark.deploy.history.EventLogFileWriter.
//
// With spark.eventLog.rolling.enabled, which is the default, a log is the directory eventlog_v2_APP with the files events_1_APP,
// events_2_APP and so on, and the empty file appstatus_APP; otherwise it is the file APP. While the application runs, the name of
// appstatus_APP or of the file ends with .inprogress. Names of compressed files end with .zstd.
//
// A line is on the disk when Write has returned. A file of a rolling log ends with a whole line, before it would be larger than
// spark.eventLog.rolling.maxFileSize. What fails names the file; a full disk fails Write, and then the driver gives the log up.
package eventlog
