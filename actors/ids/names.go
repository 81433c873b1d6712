//coherer:pure

package ids

// Master is what the endpoint of a standalone Master is called. Workers, applications and clients look it up by this name,
// and have no other business with its package.
const Master = "Master"
