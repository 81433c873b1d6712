package conf

import "fmt"

// Entry is one known setting with values of type T. Its methods may be called from any goroutine. It mirrors
// org.apache.spark.internal.config.ConfigEntry.
type Entry[T any] struct {
	key, doc string
	form     Form[T]
	def      T
	hasDef   bool
	fallback *Entry[T]
	lacks    string               // the protection that the setting promises and nothing gives; see Protects
	waits    string               // the capability that will read the setting; see Awaits
	rule     func(*Conf, T) error // what else has to hold; see Where
	in       *Set
	older    []string // names that it had; see Older
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

// Find is the value that was set for this very key or, if none was, for an older name of it, and whether one was. It regards
// neither fallback nor default. A value that does not fit panics: c was made without the Set that this entry is in.
func (e *Entry[T]) Find(c *Conf) (T, bool) {
	v, at := e.find(c)
	return v, at != ""
}

// find is Find with the name under which the value was set.
func (e *Entry[T]) find(c *Conf) (v T, at string) {
	if c == nil {
		return v, ""
	}
	if v, ok := e.findAt(c, e.key); ok {
		return v, e.key
	}
	for _, name := range e.older {
		if v, ok := e.findAt(c, name); ok {
			return v, name
		}
	}
	return v, ""
}

func (e *Entry[T]) findAt(c *Conf, name string) (T, bool) {
	var zero T
	if v, ok := c.values[name]; ok {
		return v.(T), true
	}
	key, text, ok := c.find(name)
	if !ok {
		return zero, false
	}
	v, err := parseAs(key, e, text)
	if err != nil {
		panic(fmt.Sprintf("conf: give New the Set of %s: %v", e.key, err))
	}
	return v.(T), true
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

// Source is the key that rules the value of Get: this entry's, an older name of it, or the one it falls back to. It is this entry's
// when none is set, so that an error can name the key to change. It mirrors RpcTimeout's timeoutProp.
func (e *Entry[T]) Source(c *Conf) string {
	for at := e; at != nil; at = at.fallback {
		if _, name := at.find(c); name != "" {
			return name
		}
	}
	return e.key
}

func (e *Entry[T]) parse(text string) (T, error) {
	v, err := e.form.Parse(trim(text))
	if err != nil {
		return v, &ValueError{Key: e.key, Value: text, Want: e.form.Want, Example: e.form.Example, Err: err}
	}
	return v, e.refusal(v)
}

func (e *Entry[T]) parseAny(text string) (any, error) { return e.parse(text) }

func (e *Entry[T]) describe() Described {
	d := Described{Key: e.key, Form: e.form.Name, Doc: e.doc, Lacks: e.lacks, Awaits: e.waits, Older: e.older}
	switch {
	case e.fallback != nil:
		d.Default = "= " + e.fallback.key
	case e.hasDef:
		d.Default = e.form.Text(e.def)
	}
	return d
}

// check is what is wrong between the setting and others.
func (e *Entry[T]) check(c *Conf) error {
	if e.rule == nil {
		return nil
	}
	return e.rule(c, e.Get(c))
}

// Where adds a rule that the setting's value keeps, set or not: for settings that constrain each other.
func (e *Entry[T]) Where(rule func(c *Conf, v T) error) *Entry[T] {
	e.rule = rule
	return e
}

// Declare makes a setting of a Set that has a default, given as a user would write it. The default is its example too, unless it
// means no limit. A mistake is an error of Set.Faults.
func Declare[T any](in *Set, key string, f Form[T], def, doc string) *Entry[T] {
	if def != "" && def != Infinite {
		f.Example = def
	}
	e := &Entry[T]{key: key, doc: doc, form: f, hasDef: true, in: in}
	v, err := e.parse(def)
	if err != nil { // no panic while variables are made, but a test that fails
		in.faults = append(in.faults, fmt.Errorf("default of %w", err))
	}
	e.def = v
	in.add(e)
	return e
}

// Optional makes a setting of a Set that is unset by default.
func Optional[T any](in *Set, key string, f Form[T], doc string) *Entry[T] {
	e := &Entry[T]{key: key, doc: doc, form: f, in: in}
	in.add(e)
	return e
}

// Fallback makes a setting of a Set that has the value of another when it is unset.
func Fallback[T any](in *Set, key string, f Form[T], to *Entry[T], doc string) *Entry[T] {
	e := &Entry[T]{key: key, doc: doc, form: f, fallback: to, in: in}
	in.add(e)
	return e
}
