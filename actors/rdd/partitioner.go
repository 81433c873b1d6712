package rdd

// maxPartitions bounds what a job may ask for, since a map task keeps a slice per reducer.
const maxPartitions = 1 << 20

// reducerOf is the partition, of n, to which a key belongs. It depends on the encoded key alone, so that it is the same
// in every process and every run. It mirrors Spark's HashPartitioner; the hash is FNV-1a of 64 bits, folded because
// the modulo of a small n sees the low bits only.
func reducerOf(key []byte, n int) int {
	h := hashKey(key)
	h ^= h >> 32
	return int(h % uint64(n))
}

// hashKey is the FNV-1a of 64 bits of an encoded key.
func hashKey(key []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, b := range key {
		h = (h ^ uint64(b)) * prime
	}
	return h
}
