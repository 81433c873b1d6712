// Command protoc-gen-coherer is a protobuf plugin. Beside each NAME.pb.go it writes NAME_coherer.go, which makes the type
// of an answer known to the compiler: for every message whose option (coherer.protocol) names a reply,
//
//	func (*CheckExistence) ReplyType() *Bool { return nil }
//
// so that an ask of that message yields that reply and nothing else compiles. It refuses files whose options contradict
// themselves: an unknown reply, a number that is missing, taken, or outside the range of its folder.
//
// It works for the messages of any module. Import "proto/coherer/options.proto", number the messages from 10,000 to
// 65,535, and run it as protoc runs plugins:
//
//	go install github.com/coherer/coherer/cmd/protoc-gen-coherer@latest
//	protoc -I . -I "$(go list -m -f '{{.Dir}}' github.com/coherer/coherer)" \
//		--go_out=. --go_opt=paths=source_relative \
//		--coherer_out=. --coherer_opt=paths=source_relative greeting.proto
//
// Its parameters are those of protoc-gen-go: paths, module and M.
package main

import "google.golang.org/protobuf/compiler/protogen"

func main() {
	protogen.Options{}.Run(generate)
}
