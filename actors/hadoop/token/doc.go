// Package token makes and checks YARN's tokens: an identifier, which says what its holder may do, and a password, which is the
// identifier's HMAC-SHA256 under a key that issuer and checker share. Hadoop's is HMAC-SHA1 over the same idea
// (SecretManager); the holder of a token need not understand it.
//
// The ResourceManager issues tokens of all kinds. It checks [AMRM] itself; NodeManagers, which get the keys when they
// register, check [Container] and [NM].
//
// Credentials are the tokens that a process finds beside it when it starts. They mirror org.apache.hadoop.security.Credentials,
// in its protobuf format.
package token
