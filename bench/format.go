package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Formats are the forms of a report: for people, whole, a line for each trial, and for benchstat and its kin.
var Formats = []string{"text", "json", "csv", "benchstat"}

// Write writes the report in one of Formats.
func (r *Report) Write(out io.Writer, format string) error {
	switch format {
	case "text":
		return r.text(out)
	case "json":
		return r.json(out)
	case "csv":
		return r.csv(out)
	case "benchstat":
		return r.benchstat(out)
	}
	return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats, ", "))
}

func (r *Report) json(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
