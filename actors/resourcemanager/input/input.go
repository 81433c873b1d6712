//coherer:pure

// Package input has the rules for what clients, nodes and ApplicationMasters send a ResourceManager, as far as several of its
// endpoints apply them.
package input

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/yarn"
)

// MaxText bounds a name, a queue, a user or an address, in bytes.
const MaxText = 1024

// Cut is the first n characters; "" if they are no valid UTF-8, since neither a record nor a message could carry them.
func Cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			text = text[:i]
			break
		}
	}
	if !utf8.ValidString(text) {
		return ""
	}
	return text
}

// CheckLabel refuses node labels, as a Hadoop without them does.
func CheckLabel(expression string) error {
	if strings.TrimSpace(expression) == "" {
		return nil
	}
	return fmt.Errorf("%w: Invalid resource request, node label not enabled but request contains label expression", exceptions.InvalidLabelResourceRequest)
}

// Sane reports whether a node or a container may have such a size: sums of these amounts do not overflow.
func Sane(r *yarn.Resource) bool {
	return r.GetMemory() >= 0 && r.GetMemory() <= math.MaxInt32 && r.GetVirtualCores() >= 0
}

// NextResponse follows a response id; after the largest comes 0.
func NextResponse(id int32) int32 {
	if id == math.MaxInt32 {
		return 0
	}
	return id + 1
}
