// Package syntax reads and writes what scripts consist of: lines, messages, and the forest of what followed. Scripts about
// one endpoint (package script) and about a cluster (cluster/scenario) have the same form and each their own verbs. It
// imports no testing, so that programs can run scripts too.
//
// A message is written as the forest prints it: its short protobuf name and its fields under their JSON names, separated
// by blanks, those at their zero value left out.
//
//	Greet(name=Ada)
//	Report(name="Ada Lovelace" marks=[1 2 3] address={city=London} state=OPEN)
//
// A word needs no quotes unless it has blanks or one of "'()[]{}=, in it; quotes are Go's. Bytes are written as a string.
// Where two messages have the same short name the full one is wanted. true and false are the answer rpc.Bool.
package syntax
