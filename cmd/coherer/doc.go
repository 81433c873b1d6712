// Command coherer runs Spark's RPC endpoints as Go actors: clusters on this machine, and what happened in them.
//
// See `coherer --help`.
//
// # How a command is written
//
// Each command is a struct with its flags as fields, and three parts that stand together in a file:
//
//   - a constructor, xxxCommand, with the texts of the help. It hands the struct and the texts to newCommand, or its sub-commands
//     to newGroup.
//   - flags, which binds each flag to its field. A flag that several commands have is a struct of its own with one wording, such as
//     output, settings, ofCluster or interval: a command embeds it, so that they cannot differ.
//   - run, which does the work. It gets a context that ends with a signal, the streams, and the arguments.
//
// A run checks first, before anything starts, and wraps what is wrong with the command line in usage: the exit code is 2 then, and
// the user learns where the help is. It returns errors and never prints them: main prints each once, and knows the exit codes.
//
// Commands print to the streams that they get. They keep no state in variables of the package. So a test runs them in its own
// process, with files as streams.
package main
