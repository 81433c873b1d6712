package rdd

import (
	"runtime"
	"strings"
)

// definedLate names the function that called Define after the program's packages were initialized; "" when Define runs
// within their initialization. A function that begins later can capture what only the driver knows, an argument of the
// command line say: the executor captures its own value, the lineages agree and the result is wrong.
func definedLate() string {
	pcs := make([]uintptr, 64)
	for {
		n := runtime.Callers(2, pcs) // from Define on
		if n < len(pcs) {
			return lateCaller(pcs[:n])
		}
		pcs = make([]uintptr, 2*len(pcs))
	}
}

func lateCaller(pcs []uintptr) string {
	caller := ""
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if isInitializer(f.Function) {
			return ""
		}
		if own, ok := strings.CutPrefix(f.Function, ownPackage+"."); caller == "" && !(ok && defines(own)) {
			caller = f.Function
		}
		if !more {
			return caller
		}
	}
}

// defines reports whether a function of this package, without the package's name, is Define or one of its like.
func defines(function string) bool {
	for _, prefix := range []string{"Define", "define[", "defineEffect", "defineNamed"} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// ownPackage is the import path of this package.
var ownPackage, _, _ = strings.Cut(funcName(isInitializer), ".isInitializer")

// isInitializer reports whether name is that of the code that makes a package's variables, PACKAGE.init, or of one of its
// functions init, PACKAGE.init.0. What these define or return has longer names, and a method init has its type before it.
func isInitializer(name string) bool {
	parts := strings.Split(name[strings.LastIndexByte(name, '/')+1:], ".")
	switch {
	case len(parts) < 2 || parts[1] != "init":
		return false
	case len(parts) == 3:
		return strings.Trim(parts[2], "0123456789") == ""
	default:
		return len(parts) == 2
	}
}
