// Package ids says which ids of applications and drivers there can be. An id becomes the name of a directory, a path of a
// page and a word of a command line, and it comes from another process: a Worker must not be led out of its work directory
// by one, nor a page out of it. So who makes ids, who obeys them and who shows them have one rule; Spark has none.
//
// The ids of YARN are values here, with Hadoop's texts: Application, Attempt and Container. Their texts are plain by
// construction, and each id has one text only.
//
// Names that processes tell each other, such as those of endpoints, are here too.
package ids
