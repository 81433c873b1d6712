//go:build !linux

package measure

import "time"

func nap(d time.Duration) { time.Sleep(d) }
