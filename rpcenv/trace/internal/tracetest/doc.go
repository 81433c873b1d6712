// Package tracetest makes the records that the tests of traces read, and holds their output against golden files.
package tracetest
