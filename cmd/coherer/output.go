package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/pflag"
)

// output is the flag -o text|json.
type output struct{ form string }

func (o *output) flags(f *pflag.FlagSet) {
	f.StringVarP(&o.form, "output", "o", "text", "text or json")
}

// json reports whether JSON is wanted.
func (o *output) json() (bool, error) {
	switch o.form {
	case "text":
		return false, nil
	case "json":
		return true, nil
	}
	return false, fmt.Errorf("-o %q: want text or json", o.form)
}

// writeJSON writes v for people and programs, indented.
func writeJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
