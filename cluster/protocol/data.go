package protocol

// Kinds of a Message.
const (
	// kindMessage is a protobuf message that travels by itself.
	kindMessage = "message"
	// kindLocal is a Go struct that stays within its Env.
	kindLocal = "local"
	// kindRecord is a protobuf message that travels inside others.
	kindRecord = "record"
	// kindEnum is a protobuf enum.
	kindEnum = "enum"
)

// Protocol is all that can be explained. It is made once and not changed.
type Protocol struct {
	Messages      []Message      `json:"messages,omitempty"`
	Endpoints     []Endpoint     `json:"endpoints,omitempty"`
	Conversations []Conversation `json:"conversations,omitempty"`
	Deviations    []Deviation    `json:"deviations,omitempty"`
}

// Message is a message, or a part of messages: see the kinds.
type Message struct {
	// Name is the full protobuf name, deploy.RegisterWorker, or Go's package and type for a Local.
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Number is the place on the wire; 0 for a kind that does not travel by itself.
	Number  uint32 `json:"number,omitempty"`
	Comment string `json:"comment"`
	// From are the endpoints that send it, To those that handle it; "*" is any. Of an answer they are those of its asks.
	From []string `json:"from,omitempty"`
	To   []string `json:"to,omitempty"`
	// When says what makes From send it, as half a sentence.
	When string `json:"when,omitempty"`
	// Reply is the full name of the answer; empty for a one-way message and for an answer.
	Reply string `json:"reply,omitempty"`
	// Answers are the asks that this is the answer to.
	Answers   []string `json:"answers,omitempty"`
	Duplicate string   `json:"duplicate,omitempty"`
	// Spark is Spark's class, Since the version that brought it and what changed later.
	Spark    string  `json:"spark,omitempty"`
	Since    string  `json:"since,omitempty"`
	Untraced bool    `json:"untraced,omitempty"`
	Fields   []Field `json:"fields,omitempty"`
	// Values are those of an enum.
	Values []Field `json:"values,omitempty"`
	// In are the messages that have a field of this type.
	In       []string `json:"in,omitempty"`
	Handlers []Place  `json:"handlers,omitempty"`
	// Makers are where the code makes it, in order to send it.
	Makers        []Place  `json:"makers,omitempty"`
	Conversations []string `json:"conversations,omitempty"`
	Example       *Example `json:"example,omitempty"`
}

// Field is a field of a message, or a value of an enum.
type Field struct {
	Name   string `json:"name"`
	Number int32  `json:"number"`
	Type   string `json:"type,omitempty"`
	// Role is "place" or "bulk" for fields that comparisons of runs treat so: see option.FieldRole.
	Role    string `json:"role,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// Place is a function in the source.
type Place struct {
	// Endpoint is the endpoint whose function it is; empty: no endpoint's.
	Endpoint string `json:"endpoint,omitempty"`
	// Package is the folder below the module's root.
	Package string `json:"package"`
	File    string `json:"file"`
	// Function is the method, or function, as Type.method.
	Function string `json:"function"`
}

// Endpoint is a role in the protocol.
type Endpoint struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
	// Where is the process that it lives in.
	Where string `json:"where"`
	Spark string `json:"spark,omitempty"`
	// Type is Go's package and type, File where it is, below the module's root.
	Type string `json:"type"`
	File string `json:"file"`
	// Handles are the messages that it understands, Sends the ones that its own code makes.
	Handles []string `json:"handles,omitempty"`
	Sends   []string `json:"sends,omitempty"`
}

// Conversation is a named path through a recorded run.
type Conversation struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Script is the golden script whose run was recorded.
	Script string `json:"script"`
	Steps  []Step `json:"steps"`
	// Picture is the steps as a forest by cause, in the form of scripts.
	Picture string `json:"picture"`
}

// Step is one message of a conversation.
type Step struct {
	// From and To are PROCESS/ENDPOINT in the run; an answer is from the endpoint that was asked.
	From string `json:"from"`
	To   string `json:"to"`
	// Form is "send", "ask", "reply", "fail", or "timer" for the tick of a timer.
	Form    string `json:"form"`
	Message string `json:"message"`
	// Comment is the first sentence of the message's own.
	Comment string `json:"comment,omitempty"`
	// Body is the message as JSON; empty for a Local.
	Body string `json:"body,omitempty"`
}

// Example is a message of a recorded run: the first of its kind.
type Example struct {
	Script string `json:"script"`
	Step
	// Causes is the chain that led to it, in the form of scripts; its own line is the last.
	Causes string `json:"causes"`
}

// Deviation is a difference from Spark on purpose.
type Deviation struct {
	// Package is the one that has it in testdata/differences.txt, as a folder below the module's root.
	Package string `json:"package"`
	// Spark is what Spark or Hadoop does, Why the reason for doing otherwise; both may be missing.
	Spark string `json:"spark,omitempty"`
	Here  string `json:"here"`
	Why   string `json:"why,omitempty"`
	// Tests hold it: they are in the package, or name another. None: nothing can observe it yet.
	Tests []string `json:"tests"`
}
