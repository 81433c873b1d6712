// Package app is what the main package of an application imports.
//
//	func main() { app.Main(run) }
//
//	func run(ctx context.Context, a *app.App, args []string) error {
//		counts, err := rdd.Collect(ctx, a, Counts.With(Args{Path: args[0]}))
//		...
//	}
//
// Main is main's first line. The program that `coherer run` or `coherer submit` starts is the driver: Main calls run with an
// App that is registered with a Master. The same program, started by a Worker, is an executor: then Main never returns, so
// that no program can start itself for ever. Jobs (package rdd) are defined in package variables, so both have them.
//
// The driver's own program is served to the executors under /jars/<sha256>, and started there when it is not the program
// that the Worker runs anyway.
//
// Around the roles, which touch no system, it has what a process needs: files, sockets, signals, the end of the process.
package app
