package record

import "math"

// WorldEnv is the number of the simulated World among the Envs of its trace: its records say what faults did.
const WorldEnv = math.MaxUint32

// copyOrdinal is added to the ordinal of a message for its first copy, twice for the second, and so on.
const copyOrdinal = 1_000_000_000

// CopyOf is the ordinal of the k-th copy, from 1, that a fault made of message n of a connection.
func CopyOf(n uint64, k int) uint64 { return n + uint64(k)*copyOrdinal }

// IsCopy reports whether an ordinal is that of a copy.
func IsCopy(n uint64) bool { return n >= copyOrdinal }
