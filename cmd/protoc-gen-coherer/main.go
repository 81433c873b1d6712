// Command protoc-gen-coherer is a protobuf plugin. Beside each NAME.pb.go it writes
//
// NAME_coherer.go, which makes the type of an answer known to the compiler: for every message whose option
// (coherer.protocol) names a reply,
//
//	func (*CheckExistence) ReplyType() *Bool { return nil }
//
// so that an ask of that message yields that reply and nothing else compiles;
//
// NAME_doc_coherer.go, which has the comments of the .proto file, that protobuf's descriptors lack: a program that links
// the package finds them by option.Comment. Files of Go packages that do not import the options have none.
//
// It refuses files whose options contradict themselves: an unknown reply, a number that is missing, taken, or outside the
// range of its folder.
//
// It works for the messages of any module. Import "proto/coherer/options.proto", which comes with the module, give each
// message that is sent by itself a number from 10,000 to 65,535,
//
//	message Greet {
//	  option (coherer.protocol) = {number: 10000 to: "Greeter" reply: "greeting.Greeting"};
//	  string name = 1;
//	}
//
// and run it in your module as protoc runs plugins:
//
//	go get github.com/coherer/coherer
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install github.com/coherer/coherer/cmd/protoc-gen-coherer@latest
//	protoc -I . -I "$(go list -m -f '{{.Dir}}' github.com/coherer/coherer)" \
//		--go_out=. --go_opt=paths=source_relative \
//		--coherer_out=. --coherer_opt=paths=source_relative greeting/greeting.proto
//
// While the module is at no proxy, a checkout of it stands in, here at COHERER, an absolute path:
//
//	go mod edit -replace github.com/coherer/coherer=COHERER
//	go -C COHERER install google.golang.org/protobuf/cmd/protoc-gen-go ./cmd/protoc-gen-coherer
//	protoc -I . -I COHERER \
//		--go_out=. --go_opt=paths=source_relative \
//		--coherer_out=. --coherer_opt=paths=source_relative greeting/greeting.proto
//	go mod tidy
//
// tidy comes last: it wants what protoc writes, and code that imports it.
//
// Where there is no protoc, a checkout of Coherer has a program that does the same for the proto files in a folder of your
// module; option go_package says in which of its folders what is written:
//
//	go run -C COHERER/.ci ./generate -root "$PWD" -import COHERER -plugins "$(go env GOPATH)/bin" greeting
//
// examples/chat is a whole program with messages of its own; the step pack of .ci/run makes a module of it outside of the
// tree.
//
// Its parameters are those of protoc-gen-go, paths, module and M, and
//
//	comments=false    no NAME_doc_coherer.go
//
// `protoc-gen-coherer --help` says the same.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"google.golang.org/protobuf/compiler/protogen"
)

// help is what --help prints.
const help = `protoc-gen-coherer is a plugin of protoc, which starts it. It writes NAME_coherer.go with the types of answers and
NAME_doc_coherer.go with the comments of NAME.proto, whose messages carry the option (coherer.protocol):

  protoc -I . -I "$(go list -m -f '{{.Dir}}' github.com/coherer/coherer)" \
    --go_out=. --go_opt=paths=source_relative \
    --coherer_out=. --coherer_opt=paths=source_relative greeting.proto

Parameters (--coherer_opt=K=V[,K=V]):
  paths, module, M   as protoc-gen-go has them
`

func main() {
	var s settings
	var flags flag.FlagSet
	flags.BoolVar(&s.Comments, "comments", true, "write NAME_doc_coherer.go, the comments")
	if len(os.Args) == 2 && slices.Contains([]string{"--help", "-help", "-h"}, os.Args[1]) {
		fmt.Print(help)
		flags.VisitAll(func(f *flag.Flag) { fmt.Printf("  %-18s %s (default %s)\n", f.Name, f.Usage, f.DefValue) })
		return
	}
	protogen.Options{ParamFunc: flags.Set}.Run(s.generate)
}
