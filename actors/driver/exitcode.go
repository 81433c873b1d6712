package driver

import (
	"cmp"
	"errors"
)

// ExitCode is the exit code of an application whose program ended with err: the one that err chooses, else 1.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	return cmp.Or(ChosenCode(err), 1)
}

// ChosenCode is the exit code that an error has, such as that of a command that failed; 0 when it has none that a process can
// have. It mirrors SparkUserAppException.
func ChosenCode(err error) int {
	x, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	if !ok || x.ExitCode() < 0 || x.ExitCode() > 255 {
		return 0
	}
	return x.ExitCode()
}
