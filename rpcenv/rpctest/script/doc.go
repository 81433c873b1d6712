// Package script tests one endpoint by golden scripts: text files of what is sent to it and what followed. A script is
// read like a conversation; when the endpoint changes, `go test . -run TestGreeter -rewrite` writes it anew and the difference
// is read like code.
//
//	func TestGreeter(t *testing.T) {
//		script.Run(t, "testdata/greeter.txt", func(w *rpctest.World) script.Subject {
//			return script.Subject{Ref: w.Register(w.Env("Server", nil), "Greeter", &greeter{})}
//		})
//	}
//
// A script consists of blocks, with an empty line between them: verbs, one a line; a line "----"; what followed. Lines that
// begin with # are comments. The files are those of github.com/cockroachdb/datadriven.
//
//	# A greeting needs a name.
//	ask StringValue(value="Ada Lovelace")
//	ask StringValue()
//	----
//	Probe => Server Greeter StringValue(value="Ada Lovelace")
//	  Probe <= Server StringValue(value="Hello, Ada Lovelace")
//	Probe => Server Greeter StringValue()
//	  Probe <= Server fail greeter.no-name a greeting needs a name
//
// What followed is a forest by cause (show.Forest): -> is a message, => an ask, <= its answer; each stands under the one
// in whose handling it was sent. Fields with the role PLACE are left out. After each verb the world runs until nothing is
// under way; time passes by advance alone. The endpoint starts when the first verb is done: an on that comes first is there
// for what it asks in OnStart. Above the forest stand what verbs print and the failures of callbacks that no answer reports.
//
// The verbs:
//
//	settings KEY=VALUE ...                     those of all processes; before every other verb
//	send [from=PEER] [to=NAME] MESSAGE(...)    a message to the endpoint, or to another of its process
//	ask [from=PEER] [to=NAME] [timeout=D] MESSAGE(...)
//	                                           an ask; its answer is printed when it is there
//	on [at=PEER] MESSAGE reply MESSAGE(...)    from now on the peer answers the asks of that type
//	on [at=PEER] MESSAGE fail CODE TEXT        or fails them
//	on [at=PEER] MESSAGE hold                  or keeps them
//	reply [at=PEER] MESSAGE(...)               answers the ask that was kept first
//	fail [at=PEER] CODE TEXT                   fails it
//	on [at=PEER] MESSAGE send [to=NAME] MESSAGE(...)
//	                                           a peer's one-way message in return
//	off [at=PEER] MESSAGE                      from now on the peer does what it did without on
//	connect PEER                               the peer looks the endpoint up; a new name starts a peer
//	disconnect PEER                            the peer's process ends as by kill -9
//	pause PEER, resume PEER                    the peer's process stands still, and goes on
//	log [TEXT]                                 prints what its process has logged since, if it begins so; a warning or an error as such
//	gaps MESSAGE                               prints the times between its messages of that type since, rounded to 10 ms
//	advance D                                  lets virtual time pass: 5s, 1m30s
//	places                                     prints the fields with role PLACE too, from now on
//	skip                                       leaves out what followed, was logged and changed so far: another script shows it
//	state [WHAT]                               prints the endpoint's state, see Subject
//	changes                                    prints the changes of state that its process recorded since the last changes
//	stop                                       stops the endpoint
//
// A Subject may add verbs, for which Fill, Books, Heard and ProcessesOf are here, leave messages out of the forest, and have short
// names for what is long. Blocks between the lines
// "subtest NAME" and "subtest end" are a subtest in a World of its own.
//
// Messages are written as they are printed, see package script/syntax: fields under their JSON names, those at zero left out. Every
// protobuf message that is linked into the test is known by its short name. Peers are Probes (rpctest.World.Probe); without
// from and at the first of them is meant, and there is always one. What is wrong with a script fails the test with file,
// line and column. examples/chat has scripts about two endpoints.
package script
