package pure

import "time"

func later() time.Time { return time.Now() }
