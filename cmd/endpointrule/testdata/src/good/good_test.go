package good

import "time"

// Tests may.
func sleep() { time.Sleep(0) }
