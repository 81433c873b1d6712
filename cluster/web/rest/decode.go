package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// request is a CreateSubmissionRequest.
type request struct {
	resource, mainClass string
	args                []string
	properties          map[string]string
	environment         map[string]string
	// unknown are the names of fields that mean nothing, in the order of the request.
	unknown []string
}

// The message that create takes, and its fields.
const createRequest = "CreateSubmissionRequest"

var createFields = []string{
	"action", "appArgs", "appResource", "clientSparkVersion", "environmentVariables", "mainClass", "message", "sparkProperties",
}

// others are further messages of the protocol, with the fields that they must have.
var others = map[string][]string{
	"CreateSubmissionResponse":  {"serverSparkVersion", "success"},
	"KillSubmissionResponse":    {"serverSparkVersion", "submissionId", "success"},
	"KillAllSubmissionResponse": {"serverSparkVersion", "success"},
	"ClearResponse":             {"serverSparkVersion", "success"},
	"ReadyzResponse":            {"serverSparkVersion", "success"},
	"SubmissionStatusResponse":  {"serverSparkVersion", "submissionId", "success"},
	"ErrorResponse":             {"serverSparkVersion", "message"},
}

// What Spark calls the failures.
const (
	missingField = "org.apache.spark.deploy.rest.SubmitRestMissingFieldException: "
	protocol     = "org.apache.spark.deploy.rest.SubmitRestProtocolException: "
)

func invalid(action, format string, args ...any) error {
	return malformed("%sValidation of message %s failed!\n\t%s", protocol, action, fmt.Sprintf(format, args...))
}

// decode reads a body. It mirrors SubmitRestProtocolMessage.fromJson and what follows it in SubmitRequestServlet: first the
// action, then the fields, then their values. Like Spark's reader it takes a number or a truth for a text, and looks at
// nothing behind the object.
func decode(text []byte) (*request, error) {
	fields, names, err := fieldsOf(text)
	if err != nil {
		return nil, err
	}
	action, err := scalar(fields["action"])
	switch {
	case err != nil:
		return nil, malformed("action: %v", err)
	case action == nil:
		return nil, malformed("%sAction field not found in JSON:\n%s", missingField, text[:min(len(text), 1<<10)])
	case *action != createRequest:
		return nil, unexpected(*action, fields)
	}
	q := &request{}
	for name, to := range map[string]*string{"appResource": &q.resource, "mainClass": &q.mainClass, "clientSparkVersion": new(string)} {
		if err := fill(fields, name, to); err != nil {
			return nil, err
		}
	}
	if q.args, err = list(fields["appArgs"]); err != nil {
		return nil, malformed("appArgs: %v", err)
	}
	if q.properties, err = texts(fields["sparkProperties"]); err != nil {
		return nil, malformed("sparkProperties: %v", err)
	}
	if q.environment, err = texts(fields["environmentVariables"]); err != nil {
		return nil, malformed("environmentVariables: %v", err)
	}
	// Spark compares the body with the message that it read, written again. That has no nulls, so such a field is unknown too.
	for _, name := range names {
		if !slices.Contains(createFields, name) || isNull(fields[name]) {
			q.unknown = append(q.unknown, name)
		}
	}
	if err := q.validate(fields); err != nil {
		return nil, err
	}
	return q, nil
}

// unexpected is the answer to another message than create takes.
func unexpected(action string, fields map[string]json.RawMessage) error {
	// Spark makes an object of the action's class first, and validates it, before it looks which class it is.
	wants, known := others[action]
	if !known {
		return malformed("java.lang.ClassNotFoundException: org.apache.spark.deploy.rest.%.200s\n\tthe action create takes is %s", action, createRequest)
	}
	for _, name := range wants {
		if isNull(fields[name]) {
			return invalid(action, "the field %s is missing; but what create takes is a %s", name, createRequest)
		}
	}
	return &failure{http.StatusBadRequest, fmt.Sprintf("Received message of unexpected type %s.", action)}
}

// validate mirrors CreateSubmissionRequest.doValidate, and then what StandaloneSubmitRequestServlet asks for.
func (q *request) validate(fields map[string]json.RawMessage) error {
	for _, name := range []string{"clientSparkVersion", "appResource", "sparkProperties"} {
		if isNull(fields[name]) {
			return invalid(createRequest, "the field %s is missing", name)
		}
	}
	for _, p := range []struct {
		key, want string
		ok        func(string) bool
	}{
		{"spark.driver.supervise", "true or false", isBool},
		{"spark.driver.cores", "a whole number", isInt},
		{"spark.cores.max", "a whole number", isInt},
		{"spark.driver.memory", "a size such as 512m", isMemory},
		{"spark.executor.memory", "a size such as 512m", isMemory},
	} {
		if v, set := q.properties[p.key]; set && !p.ok(v) {
			return invalid(createRequest, "the property %s is %.200q: want %s", p.key, v, p.want)
		}
	}
	for name, value := range q.environment {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return invalid(createRequest, "the environment variable %.200q cannot be: no name is empty or has a =, and nothing a NUL", name)
		}
	}
	if isNull(fields["mainClass"]) {
		return malformed("%sMain class is missing.", missingField)
	}
	return nil
}

func isBool(s string) bool { return strings.EqualFold(s, "true") || strings.EqualFold(s, "false") }
func isInt(s string) bool  { _, err := strconv.ParseInt(s, 10, 32); return err == nil }
func isMemory(s string) bool {
	_, err := conf.ParseMemoryMB(s)
	return err == nil
}

// fieldsOf are the fields of the object that text begins with, and their names in its order, each once.
func fieldsOf(text []byte) (map[string]json.RawMessage, []string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var all json.RawMessage
	switch err := d.Decode(&all); {
	case errors.Is(err, io.EOF):
		return nil, nil, malformed("No content to map due to end-of-input: the body is empty")
	case err != nil:
		return nil, nil, malformed("the body is no JSON: %v", err)
	}
	d = json.NewDecoder(bytes.NewReader(all))
	fields := map[string]json.RawMessage{}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fields, nil, nil // JSON, but no object: decode finds no action in it
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, malformed("the body is no JSON: %v", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, malformed("the body is no JSON: %v", err)
		}
		n := name.(string) // the decoder gives a name or an error
		if _, twice := fields[n]; !twice {
			names = append(names, n)
		}
		fields[n] = value
	}
	return fields, names, nil
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

func fill(fields map[string]json.RawMessage, name string, to *string) error {
	v, err := scalar(fields[name])
	if err != nil {
		return malformed("%s: %v", name, err)
	}
	if v != nil {
		*to = *v
	}
	return nil
}

// scalar is a value as text; nil for null or no value.
func scalar(v json.RawMessage) (*string, error) {
	if isNull(v) {
		return nil, nil
	}
	text := string(v)
	switch v[0] {
	case '"':
		if err := json.Unmarshal(v, &text); err != nil {
			return nil, err
		}
	case '{', '[':
		return nil, fmt.Errorf("it is no text: %.100s", v)
	}
	return &text, nil
}

func list(v json.RawMessage) ([]string, error) {
	if isNull(v) {
		return nil, nil
	}
	var values []json.RawMessage
	if err := json.Unmarshal(v, &values); err != nil {
		return nil, err
	}
	out := make([]string, len(values))
	for i, v := range values {
		text, err := scalar(v)
		if err == nil && text == nil {
			err = errors.New("null is no text")
		}
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = *text
	}
	return out, nil
}

// texts is an object of texts; those that are null are left out.
func texts(v json.RawMessage) (map[string]string, error) {
	if isNull(v) {
		return nil, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(v, &values); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(values))
	for name, v := range values {
		text, err := scalar(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if text != nil {
			out[name] = *text
		}
	}
	return out, nil
}
