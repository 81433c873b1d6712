//coherer:pure

package pools

// Mode is the order within a pool, or that of pools. It mirrors SchedulingMode.
type Mode int

const (
	// FIFO serves earlier jobs first.
	FIFO Mode = iota
	// FAIR shares cores among all.
	FAIR
)

// String is the mode as spark.scheduler.mode and allocation files write it.
func (m Mode) String() string {
	if m == FAIR {
		return "FAIR"
	}
	return "FIFO"
}

// Line is a line for the driver's log, in Spark's words.
type Line struct {
	// Warn means that the log has it as a warning.
	Warn bool
	Text string
}
