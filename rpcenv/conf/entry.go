package conf

import "fmt"

// Entry is one known setting with values of type T. Its methods may be called from any goroutine. It mirrors
// org.apache.spark.internal.config.ConfigEntry.
type Entry[T any] struct {
	key, doc string
	form     form[T]
	def      T
	hasDef   bool
	fallback *Entry[T]
	lacks    string // the protection that the setting promises and nothing gives; see protects
	waits    string // the capability that will read the setting; see awaits
}

// Key is the setting's name.
func (e *Entry[T]) Key() string { return e.key }

// Doc says in a sentence what the setting does.
func (e *Entry[T]) Doc() string { return e.doc }

// Default is the value when nothing is set; false for an entry without one.
func (e *Entry[T]) Default() (T, bool) {
	if e.fallback != nil {
		return e.fallback.Default()
	}
	return e.def, e.hasDef
}

// Find is the value that was set for this very key, and whether one was. It regards neither fallback nor default.
func (e *Entry[T]) Find(c *Conf) (T, bool) {
	if c != nil {
		if v, ok := c.values[e.key]; ok {
			return v.(T), true
		}
	}
	var zero T
	return zero, false
}

// Get is the value that was set, else that of the entry it falls back to, else the default, else the zero T. A slice
// belongs to c: do not write to it.
func (e *Entry[T]) Get(c *Conf) T {
	if v, ok := e.Find(c); ok {
		return v
	}
	if e.fallback != nil {
		return e.fallback.Get(c)
	}
	return e.def
}

// Source is the key that rules the value of Get: this entry's or the one it falls back to. It is this entry's when
// neither is set, so that an error can name the key to change. It mirrors RpcTimeout's timeoutProp.
func (e *Entry[T]) Source(c *Conf) string {
	for at := e; at != nil; at = at.fallback {
		if _, ok := at.Find(c); ok {
			return at.key
		}
	}
	return e.key
}

func (e *Entry[T]) parse(text string) (T, error) {
	v, err := e.form.parse(trim(text))
	if err != nil {
		return v, &ValueError{Key: e.key, Value: text, Want: e.form.want, Example: e.form.example, Err: err}
	}
	return v, e.refusal(v)
}

func (e *Entry[T]) parseAny(text string) (any, error) { return e.parse(text) }

func (e *Entry[T]) describe() Described {
	d := Described{Key: e.key, Form: e.form.name, Doc: e.doc, Lacks: e.lacks, Awaits: e.waits}
	switch {
	case e.fallback != nil:
		d.Default = "= " + e.fallback.key
	case e.hasDef:
		d.Default = e.form.text(e.def)
	}
	return d
}

// entry makes a setting that has a default, given as a user would write it. The default is its example too, unless it
// means no limit.
func entry[T any](key string, f form[T], def, doc string) *Entry[T] {
	if def != "" && def != infinite {
		f.example = def
	}
	e := &Entry[T]{key: key, doc: doc, form: f, hasDef: true}
	v, err := e.parse(def)
	if err != nil { // a mistake in a declaration: no panic while variables are made, but a test that fails
		entries.faults = append(entries.faults, fmt.Errorf("default of %w", err))
	}
	e.def = v
	entries.add(e)
	return e
}

// optional makes a setting that is unset by default.
func optional[T any](key string, f form[T], doc string) *Entry[T] {
	e := &Entry[T]{key: key, doc: doc, form: f}
	entries.add(e)
	return e
}

// fallback makes a setting that has the value of another when it is unset.
func fallback[T any](key string, f form[T], to *Entry[T], doc string) *Entry[T] {
	e := &Entry[T]{key: key, doc: doc, form: f, fallback: to}
	entries.add(e)
	return e
}
