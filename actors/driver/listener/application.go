//coherer:pure

package listener

// LogStart is the first line of an event log.
type LogStart struct {
	SparkVersion string `json:"Spark Version"`
}

// Kind implements [Event].
func (*LogStart) Kind() string { return "SparkListenerLogStart" }

// ApplicationStart reports that the cluster manager took the application.
type ApplicationStart struct {
	AppName    string     `json:"App Name"`
	AppID      string     `json:"App ID"`
	Timestamp  int64      `json:"Timestamp"`
	User       string     `json:"User"`
	AttemptID  *string    `json:"App Attempt ID,omitempty"`
	DriverLogs Properties `json:"Driver Logs,omitzero"`
	Attributes Properties `json:"Driver Attributes,omitzero"`
}

// Kind implements [Event].
func (*ApplicationStart) Kind() string { return "SparkListenerApplicationStart" }

// ApplicationEnd is the last event of an application that ends in good order.
type ApplicationEnd struct {
	Timestamp int64 `json:"Timestamp"`
	ExitCode  *int  `json:"ExitCode,omitempty"`
}

// Kind implements [Event].
func (*ApplicationEnd) Kind() string { return "SparkListenerApplicationEnd" }

// EnvironmentUpdate has the settings of the application and its process. The History Server shows no page without it.
type EnvironmentUpdate struct {
	JVM       Properties `json:"JVM Information"`
	Spark     Properties `json:"Spark Properties"`
	Hadoop    Properties `json:"Hadoop Properties"`
	System    Properties `json:"System Properties"`
	Metrics   Properties `json:"Metrics Properties"`
	Classpath Properties `json:"Classpath Entries"`
}

// Kind implements [Event].
func (*EnvironmentUpdate) Kind() string { return "SparkListenerEnvironmentUpdate" }

// ResourceProfileAdded describes a resource profile; 0 is the default one.
type ResourceProfileAdded struct {
	ID        int32                   `json:"Resource Profile Id"`
	Executors Fields[ExecutorRequest] `json:"Executor Resource Requests"`
	Tasks     Fields[TaskRequest]     `json:"Task Resource Requests"`
}

// Kind implements [Event].
func (*ResourceProfileAdded) Kind() string { return "SparkListenerResourceProfileAdded" }

// ExecutorRequest is what a profile wants of an executor; memory is in MiB.
type ExecutorRequest struct {
	Name   string `json:"Resource Name"`
	Amount int64  `json:"Amount"`
	Script string `json:"Discovery Script"`
	Vendor string `json:"Vendor"`
}

// TaskRequest is what a task of a profile takes.
type TaskRequest struct {
	Name   string `json:"Resource Name"`
	Amount Double `json:"Amount"`
}
