package rpcenv

import (
	"fmt"
	"regexp"

	"github.com/coherer/coherer/rpcenv/conf"
)

// RedactionRegex is what Redact goes by.
var RedactionRegex = conf.Declare(Settings, "spark.redaction.regex", expressions, "(?i)secret|password|token|access[.]?key",
	"Settings and variables whose name or value matches are not shown.")

// Redacted is shown instead of a secret.
const Redacted = "*********(redacted)"

// Redact is value, or Redacted when key or value matches spark.redaction.regex. It mirrors Utils.redact.
func Redact(c *conf.Conf, key, value string) string {
	secret := regexp.MustCompile(RedactionRegex.Get(c)) // it was checked when it was set
	if secret.MatchString(key) || secret.MatchString(value) {
		return Redacted
	}
	return value
}

// expressions are regular ones, in Go's syntax, which is Java's without look-around and back references.
var expressions = conf.Form[string]{
	Name: "expression", Want: "a regular expression",
	Parse: func(s string) (string, error) {
		if _, err := regexp.Compile(s); err != nil {
			return "", fmt.Errorf("no regular expression: %w", err)
		}
		return s, nil
	},
	Text: conf.Texts.Text,
}
