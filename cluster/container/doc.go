// Package container is the disk of a NodeManager: [Disks] knows which of its directories can be used, [Directories] makes and
// removes those of containers and applications, [Cache] brings resources into them.
//
//	LOCAL/filecache/N/                                resources for everybody
//	LOCAL/usercache/USER/filecache/N/                 for all applications of a user
//	LOCAL/usercache/USER/appcache/APP/filecache/N/    for one application
//	LOCAL/usercache/USER/appcache/APP/CONTAINER/      a container's work directory
//	LOG/APP/CONTAINER/                                its output, which stays
//
// What the NodeManager before left in a local directory is removed when the next one starts there; two at a time cannot use
// one.
package container
