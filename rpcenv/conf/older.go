package conf

import "fmt"

// Older makes an older name of the setting known: a value that is set by it counts as long as none is set by a newer name, and a
// user that sets it is warned. Of several older names the first counts that is set. It mirrors ConfigBuilder.withAlternative.
func (e *Entry[T]) Older(key string) *Entry[T] {
	e.older = append(e.older, key)
	e.in.add(olderName{key, e})
	return e
}

// olderName is an older name of an entry.
type olderName struct {
	key string
	of  anyEntry
}

func (o olderName) Key() string { return o.key }

func (o olderName) parseAny(text string) (any, error) { return parseAs(o.key, o.of, text) }

func (o olderName) describe() Described {
	d := o.of.describe()
	now := o.of.Key()
	d.Key, d.Now, d.Older, d.Default, d.Doc = o.key, now, nil, "= "+now, "Older name of "+now+"."
	return d
}

// check has nothing to say: the entry checks itself, whatever name its value came by.
func (o olderName) check(*Conf) error { return nil }

// isOlder is the warning that key is an older name, or "".
func (c *Conf) isOlder(key string) string {
	now := c.known.byKey[key].describe().Now
	if now == "" {
		return ""
	}
	return fmt.Sprintf("The configuration key '%s'%s has been deprecated and may be removed in the future. Please use the new key '%s' instead.",
		key, c.place(key), now)
}
