// Package invariant checks a trace against the rules of the runtime, which hold in every run, whatever goes wrong in it:
//
//	FIFO      what one Env sends to one endpoint is handled in that order; the answers too, on one connection
//	once      a message is handled at most once
//	ask       an ask of an endpoint ends exactly once, unless the endpoint ends first
//	start     OnStart is the first that an endpoint handles
//	stop      OnStop is the last, and comes once
//	serial    the handlers of an endpoint do not overlap
//	lost      what was sent is handled, or an event says why not: a fault that lost it, the end of its connection or Env
//	hole      a connection loses its end, never something in the middle
//	made up   what is handled was sent
//
// A fault that reorders, doubles or loses messages is excused where the trace names it. The checker reads the records of
// one World or process; [Options] say whether the run is over, because what is missing before may come still.
package invariant
