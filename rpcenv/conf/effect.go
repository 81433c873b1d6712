package conf

import "fmt"

// Awaits marks a setting that nothing reads yet, with the capability that will: a user that sets it is warned.
func (e *Entry[T]) Awaits(capability string) *Entry[T] {
	e.waits = capability
	return e
}

// noEffect is the warning that key was set and has no effect, or "". To turn off what does not exist is no reason to warn.
func (c *Conf) noEffect(key string) string {
	d := c.known.byKey[key].describe()
	if on, isBool := c.values[key].(bool); d.Awaits == "" || isBool && !on {
		return ""
	}
	return fmt.Sprintf("%s%s has no effect yet: there is no support for %s", key, c.place(key), d.Awaits)
}
