package restclient

import (
	"encoding/json"
	"fmt"
)

// sparkVersion is the version of Spark whose protocol is spoken, as requests name it.
const sparkVersion = "4.1.4"

// Submission is an application to run. It mirrors CreateSubmissionRequest.
type Submission struct {
	// Resource is the application's URI, Class its main class, Args its arguments.
	Resource string
	Class    string
	Args     []string
	// Properties are the settings, spark.app.name among them; Environment are the variables of the driver.
	Properties  map[string]string
	Environment map[string]string
}

// request is a Submission on the wire.
type request struct {
	Action               string            `json:"action"`
	ClientSparkVersion   string            `json:"clientSparkVersion"`
	AppResource          string            `json:"appResource"`
	MainClass            string            `json:"mainClass"`
	AppArgs              []string          `json:"appArgs"`
	SparkProperties      map[string]string `json:"sparkProperties"`
	EnvironmentVariables map[string]string `json:"environmentVariables"`
}

func (s Submission) request() ([]byte, error) {
	r := request{
		Action: "CreateSubmissionRequest", ClientSparkVersion: sparkVersion, AppResource: s.Resource, MainClass: s.Class, AppArgs: s.Args,
		SparkProperties: s.Properties, EnvironmentVariables: s.Environment,
	}
	// Spark's server refuses null for them.
	if r.AppArgs == nil {
		r.AppArgs = []string{}
	}
	if r.SparkProperties == nil {
		r.SparkProperties = map[string]string{}
	}
	if r.EnvironmentVariables == nil {
		r.EnvironmentVariables = map[string]string{}
	}
	return json.Marshal(r)
}

// Response is what a server answers, whatever its Action; fields that an action does not have are empty.
type Response struct {
	// Action is the type of the answer, such as CreateSubmissionResponse.
	Action  string `json:"action"`
	Message string `json:"message,omitempty"`
	// Success: it was done, or the driver is known.
	Success      bool   `json:"success"`
	SubmissionID string `json:"submissionId,omitempty"`
	// DriverState, WorkerID and WorkerHostPort are those of a driver that is known.
	DriverState    string `json:"driverState,omitempty"`
	WorkerID       string `json:"workerId,omitempty"`
	WorkerHostPort string `json:"workerHostPort,omitempty"`
	// ServerSparkVersion is the server's version; HighestProtocolVersion is set when the server does not know ours.
	ServerSparkVersion     string `json:"serverSparkVersion,omitempty"`
	HighestProtocolVersion string `json:"highestProtocolVersion,omitempty"`
	// UnknownFields are those of the request that the server did not understand.
	UnknownFields []string `json:"unknownFields,omitempty"`
}

// decode reads an answer.
func decode(text []byte) (*Response, error) {
	var r Response
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("Malformed response received from server: %w", err)
	}
	if r.Action == "" {
		return nil, fmt.Errorf("Malformed response received from server: it has no action: %.200q", text)
	}
	return &r, nil
}
