//coherer:pure

package submit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Action is what a command line asks for.
type Action int

// The actions. Help and Usage print the usage and end; the others are Spark's.
const (
	// Submit makes a submission.
	Submit Action = iota
	// Kill ends one.
	Kill
	// RequestStatus shows one.
	RequestStatus
	// PrintVersion shows the version.
	PrintVersion
	// Help shows the usage.
	Help
	// Usage shows the usage and fails.
	Usage
)

// String is Spark's name of the action.
func (a Action) String() string {
	return [...]string{"SUBMIT", "KILL", "REQUEST_STATUS", "PRINT_VERSION", "HELP", "USAGE"}[a]
}

// CommandLine is a command line that was taken apart; nothing is looked up for it yet.
type CommandLine struct {
	Action Action
	// Submission is the id that Kill and RequestStatus are about.
	Submission string
	// Resource is the primary resource as it was given, or empty; Args are the application's arguments.
	Resource string
	Args     []string
	// Conf are the settings of --conf in order.
	Conf []conf.Setting
	// ExtraFiles are the files of --extra-properties-file in order.
	ExtraFiles []string

	values map[string]string
}

// Value is what was given for an option, by its long name; a switch has the value "true". Of an option that comes twice
// the last holds.
func (c *CommandLine) Value(option string) (string, bool) {
	v, ok := c.values[option]
	return v, ok
}

// SetMaster replaces what was given for --master.
func (c *CommandLine) SetMaster(url string) { c.values["--master"] = url }

// Has reports whether an option was given.
func (c *CommandLine) Has(option string) bool {
	_, ok := c.values[option]
	return ok
}

// WantsDefaults reports whether spark-defaults.conf is to be read.
func (c *CommandLine) WantsDefaults() bool {
	return !c.Has("--properties-file") || c.Has("--load-spark-defaults")
}

// Parse takes a command line apart: options as --key=value or --key value, switches, then the first argument that does not
// begin with a dash, the primary resource; what comes behind it is the application's. It mirrors
// SparkSubmitOptionParser.parse and SparkSubmitArguments.handle. No argument at all is Usage.
func Parse(args []string) (*CommandLine, error) {
	c := &CommandLine{values: map[string]string{}}
	if len(args) == 0 {
		c.Action = Usage
		return c, nil
	}
	for i := 0; i < len(args); i++ {
		name, value, has := split(args[i])
		option, known := Find(name)
		if !known { // the primary resource ends the options: all behind it is the application's, also what looks like one
			return c, c.unknown(name, args[i+1:])
		}
		if option.Value == "" {
			if c.flag(option.Name) {
				return c, nil
			}
			continue
		}
		if !has {
			if i == len(args)-1 { // any argument is a value, also one that begins with a dash, as in Spark
				return nil, fmt.Errorf("Missing argument for option '%s': want %s %s", name, name, option.Value)
			}
			i++
			value = args[i]
		}
		if err := c.take(option.Name, value); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// split parts --key=value. A value must not be empty: with none the whole is a name, which then is not known.
func split(arg string) (name, value string, has bool) {
	if !strings.HasPrefix(arg, "--") {
		return arg, "", false
	}
	name, value, _ = strings.Cut(arg, "=")
	if name == "--" || value == "" {
		return arg, "", false
	}
	return name, value, true
}

// flag takes a switch and reports whether nothing behind it is to be read.
func (c *CommandLine) flag(name string) (last bool) {
	c.values[name] = "true"
	switch name {
	case "--help":
		c.Action = Help
	case "--usage-error":
		c.Action = Usage
	case "--version":
		c.Action = PrintVersion
	default:
		return false
	}
	return true
}

// take takes an option with a value.
func (c *CommandLine) take(name, value string) error {
	switch name {
	case "--conf":
		key, text, err := conf.ParsePair(value)
		if err != nil {
			if !strings.Contains(value, "=") {
				err = fmt.Errorf("Spark config without '=': %w", err)
			}
			return err
		}
		c.Conf = append(c.Conf, conf.Setting{Pair: conf.Pair{Key: key, Value: text}, From: conf.Origin{Place: name}})
	case "--extra-properties-file":
		c.ExtraFiles = append(c.ExtraFiles, value)
	case "--deploy-mode":
		if value != "client" && value != "cluster" {
			return fmt.Errorf(`--deploy-mode must be either "client" or "cluster", not %q`, value)
		}
	case "--output":
		if value != "text" && value != "json" {
			return fmt.Errorf("-o %q: want text or json", value)
		}
	case "--kill":
		return c.act(Kill, name, value)
	case "--status":
		return c.act(RequestStatus, name, value)
	}
	c.values[name] = value
	return nil
}

// act makes the command line one about a submission.
func (c *CommandLine) act(a Action, name, id string) error {
	if c.Action != Submit {
		return fmt.Errorf("Action cannot be both %s and %s.", c.Action, a)
	}
	c.Action, c.Submission, c.values[name] = a, id, id
	return nil
}

// unknown takes what is no option: the primary resource, and the application's arguments behind it. An unknown option is an
// error.
func (c *CommandLine) unknown(arg string, rest []string) error {
	if !strings.HasPrefix(arg, "-") {
		if arg == "" {
			return errors.New("the application is named by an empty argument: is a variable of your shell not set?")
		}
		c.Resource, c.Args = arg, append([]string(nil), rest...)
		return nil
	}
	var names []string
	for _, o := range options {
		names = append(names, o.Name)
	}
	if near, ok := conf.Nearest(arg, names); ok {
		return fmt.Errorf("Unrecognized option '%s'. Did you mean %s?", arg, near)
	}
	return fmt.Errorf("Unrecognized option '%s'.", arg)
}
