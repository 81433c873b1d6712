// Package option is coherer/options.proto in Go: what a message is for, who sends it and how it is answered. It also keeps
// the comments of .proto files, which protobuf's own descriptors lack.
package option

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// described are the comments of all linked .proto files: a name, its comment, the next name. They are put in order at
// the first question, so that a program that asks none pays nothing.
var described struct {
	sync.Mutex
	files  [][]string
	byName map[protoreflect.FullName]string
}

// Describe adds the comments of a .proto file: the full name of a package, message, field, enum or value, then its
// comment, and so on. The code that protoc-gen-coherer writes calls it when the program starts.
func Describe(pairs []string) struct{} {
	described.Lock()
	defer described.Unlock()
	described.files, described.byName = append(described.files, pairs), nil
	return struct{}{}
}

// Comment is what the .proto file says of the thing with that full name, without comment signs; "" when it says nothing
// or no linked package of that file was generated with comments.
func Comment(name protoreflect.FullName) string {
	described.Lock()
	defer described.Unlock()
	if described.byName == nil {
		described.byName = map[protoreflect.FullName]string{}
		for _, pairs := range described.files {
			for i := 0; i+1 < len(pairs); i += 2 {
				described.byName[protoreflect.FullName(pairs[i])] = pairs[i+1]
			}
		}
	}
	return described.byName[name]
}
