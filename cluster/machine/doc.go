// Package machine finds what a Worker's machine has: cores, memory, and resources such as gpu. It mirrors
// org.apache.spark.deploy.worker.WorkerArguments (inferDefaultCores, inferDefaultMemory) and
// org.apache.spark.resource.ResourceUtils. Limits of a container count as the machine's own.
package machine
