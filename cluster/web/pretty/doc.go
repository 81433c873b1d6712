// Package pretty writes JSON as Spark's servers do: fields in the order in which they are given, and the spaces of
// Jackson's default pretty printer. So a program that reads Spark's answers, be it a line with grep, reads these.
package pretty
