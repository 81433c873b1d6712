// Package ids says which ids of applications and drivers are valid. An id becomes the name of a directory, a path of a page and
// a word of a command line, and it comes from another process: it must lead neither a Worker out of its work directory nor a
// page out of its site. So one rule holds where ids are made, used and shown; Spark has no such rule.
//
// The ids of YARN are values here, with Hadoop's texts: Application, Attempt, Container and Node. The texts of the first
// three are plain by construction, and each of these ids has one text only.
//
// Names that several processes must agree on, such as those of endpoints, are here too.
package ids
