//coherer:pure

// Package pure has one file under the rule.
package pure

import "time"

func now() time.Time { return time.Now() } // want `time\.Now`
