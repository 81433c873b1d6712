package conf

import "fmt"

// ProtectionError refuses a setting that promises protection which nothing here gives. A process that went on would be open
// to the very callers that the setting was to keep out.
type ProtectionError struct {
	Key string
	// Lacks is what does not happen, such as "peers are not authenticated".
	Lacks string
	// Harmless is the value that promises nothing; empty: the setting must not be there.
	Harmless string
}

// Error says what is promised and what to do. It has no value: that may be a secret.
func (e *ProtectionError) Error() string {
	instead := "remove it"
	if e.Harmless != "" {
		instead += " or make it " + e.Harmless
	}
	return fmt.Sprintf("%s promises protection that Coherer does not give (%s): %s, and let only machines that you trust reach the ports",
		e.Key, e.Lacks, instead)
}

// Protects marks a setting whose values, but for the default, promise protection that nothing here gives: they are refused,
// wherever they come from, so that no process starts with them. lacks says what does not happen.
func (e *Entry[T]) Protects(lacks string) *Entry[T] {
	e.lacks = lacks
	// The example in an error must be a value that is taken.
	harmless, _ := e.Default()
	e.form.Example = e.form.Text(harmless)
	return e
}

// refusal is why v is refused, or nil.
func (e *Entry[T]) refusal(v T) error {
	if e.lacks == "" {
		return nil
	}
	harmless, _ := e.Default()
	text := e.form.Text(harmless)
	if e.form.Text(v) == text {
		return nil
	}
	return &ProtectionError{Key: e.key, Lacks: e.lacks, Harmless: text}
}
