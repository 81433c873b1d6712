package protocol

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// sourceJSON is the part of the Go source that Load needs, as a test read it.
//
//go:embed source.json
var sourceJSON []byte

// source is the protocol as the Go source has it.
type source struct {
	Handlers   []use         `json:"handlers"`
	Makers     []use         `json:"makers"`
	Endpoints  []endpointDoc `json:"endpoints"`
	Locals     []localDoc    `json:"locals"`
	Deviations []Deviation   `json:"deviations"`
}

// use is a function that has to do with a message.
type use struct {
	Message string `json:"message"`
	Place
}

// endpointDoc is a type with a Receive.
type endpointDoc struct {
	Name string `json:"name"`
	Type string `json:"type"`
	File string `json:"file"`
	Doc  string `json:"doc"`
}

// localDoc is a message that is a Go struct.
type localDoc struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc"`
	Reply  string  `json:"reply,omitempty"`
	Fields []Field `json:"fields,omitempty"`
}

func readSource(b []byte) (source, error) {
	var s source
	if err := json.Unmarshal(b, &s); err != nil {
		return source{}, fmt.Errorf("protocol: source.json: %w", err)
	}
	return s, nil
}
