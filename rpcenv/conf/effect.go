package conf

import "fmt"

// awaits marks a setting that nothing reads yet, with the capability that will: whoever sets it is warned.
func (e *Entry[T]) awaits(capability string) *Entry[T] {
	e.waits = capability
	return e
}

// noEffect is what a user hears of key, which was set and has no effect, or "". Whoever turns a thing off misses nothing.
func (c *Conf) noEffect(key string) string {
	d := entries.byKey[key].describe()
	if on, isBool := c.values[key].(bool); d.Awaits == "" || isBool && !on {
		return ""
	}
	return fmt.Sprintf("%s%s has no effect yet: there is no support for %s", key, c.place(key), d.Awaits)
}
