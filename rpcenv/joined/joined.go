// Package joined takes apart what errors.Join made.
//
//coherer:pure
package joined

import (
	"errors"
	"reflect"
)

// made is the type of what errors.Join returns.
var made = reflect.TypeOf(errors.Join(errors.ErrUnsupported))

// Errors returns the errors that err joins, also those of joins within it, or err alone; none of nil. An error that wraps several
// in a text of its own is one: its parts would lose that text.
func Errors(err error) []error {
	if err == nil {
		return nil
	}
	if reflect.TypeOf(err) != made {
		return []error{err}
	}
	var all []error
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		all = append(all, Errors(e)...)
	}
	return all
}
