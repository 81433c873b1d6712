// Package hollow holds the peers of a role under load: Workers, executors, drivers and NodeManagers which send and answer what the
// protocol wants of them, at once, and do no work. Their owner hears of what the role answers by functions, which run in the
// handler and must not wait.
package hollow
