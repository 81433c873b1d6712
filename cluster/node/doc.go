// Package node has one constructor a daemon: an Env and the role that lives in it, on any Host.
package node
