// Package bulk serves and fetches blocks and files over connections of their own, so that a big one delays no message.
//
// Blocks are served at an address of their own: [Serve] asks a [Source] for them, by Spark's frames 0 to 5. Files are served at
// the RPC port of an Env: its Host takes a connection whose first frame has type 6 for a download, and hands it to [ServeFiles],
// which asks a [FileServer]. A [Client] fetches both.
package bulk
