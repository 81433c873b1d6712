package measure

import "runtime/debug"

// LibraryVersion is the version of a module that this program was built with, for [Contender].Version; empty when it does not
// know.
func LibraryVersion(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}
