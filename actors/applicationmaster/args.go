package applicationmaster

import (
	"errors"
	"fmt"
)

// Args are the arguments of an ApplicationMaster, by Spark's names. They mirror ApplicationMasterArguments.
type Args struct {
	// Class is the program's name and Jar its file, in cluster mode.
	Class, Jar string
	// Args are the program's own; in client mode the first is where the driver listens.
	Args []string
	// Properties is the file of the settings, DistCache that of what the client staged for executors, or empty.
	Properties, DistCache string
}

// ParseArgs reads the arguments behind the word of an ApplicationMaster's command.
func ParseArgs(args []string) (Args, error) {
	var a Args
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			return a, fmt.Errorf("%s: its value is missing", args[i])
		}
		switch name, value := args[i], args[i+1]; name {
		case "--class":
			a.Class = value
		case "--jar":
			a.Jar = value
		case "--arg":
			a.Args = append(a.Args, value)
		case "--properties-file":
			a.Properties = value
		case "--dist-cache-conf":
			a.DistCache = value
		default:
			return a, fmt.Errorf("%s: no such option of an ApplicationMaster", name)
		}
	}
	if a.Properties == "" {
		return a, errors.New("an ApplicationMaster needs --properties-file")
	}
	return a, nil
}
