package scenario

import "github.com/coherer/coherer/rpcenv/rpctest/script/syntax"

// verbs are what a line of a script can begin with.
func verbs() map[string]func(*Runner, syntax.Command) error {
	return map[string]func(*Runner, syntax.Command) error{
		"start":       (*Runner).start,
		"stop":        (*Runner).stop,
		"kill":        (*Runner).kill,
		"run":         (*Runner).run,
		"settle":      (*Runner).settle,
		"advance":     (*Runner).advance,
		"restart":     (*Runner).restart,
		"exit":        (*Runner).exit,
		"submit":      (*Runner).submit,
		"driver":      (*Runner).driver,
		"application": (*Runner).application,
		"release":     (*Runner).release,
		"result":      (*Runner).result,
		"app":         (*Runner).app,
		"peer":        (*Runner).peer,
		"say":         (*Runner).say,
		"heard":       (*Runner).heard,
		"waits":       (*Runner).waits,
		"books":       (*Runner).books,
		"why":         (*Runner).why,

		"invariants": (*Runner).invariants,
		"historic":   (*Runner).historic,
		"hide":       (*Runner).hide,
		"calm":       (*Runner).calm,
		"at":         nil, // see Block
		"elect":      (*Runner).elect,
		"corrupt":    (*Runner).corrupt,
		"disk":       (*Runner).disk,
		"damage":     (*Runner).damage,
		"suspect":    (*Runner).suspect,

		"decommission": (*Runner).decommission,

		"cut":       (*Runner).fault,
		"heal":      (*Runner).fault,
		"delay":     (*Runner).fault,
		"lose":      (*Runner).fault,
		"latency":   (*Runner).fault,
		"drop":      (*Runner).fault,
		"duplicate": (*Runner).fault,
		"reorder":   (*Runner).fault,
		"pause":     (*Runner).fault,
		"resume":    (*Runner).fault,
		"vanish":    (*Runner).fault,
		"reset":     (*Runner).fault,
		"cost":      (*Runner).fault,
		"threads":   (*Runner).fault,
	}
}
