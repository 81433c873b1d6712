// Package conf makes settings typed entries: the mechanism. The entries stand with those that read them.
//
// A setting is a package variable, such as WorkerTimeout of package membership, of type *[Entry]: it knows its key, its form, its
// default, its range and what it means, which the last argument of its declaration says ([Declare], [Optional], [Fallback]). The
// entries of a package are in its [Set], which is called Settings; package cluster/known has the union of all. A program with
// settings of its own declares them in the same way and gives [New] its Set beside the others.
//
// A [Conf] holds the pairs that were set, from spark-defaults.conf (see [ParseProperties]), from --conf K=V (see [ParsePair]) or
// from a message. It never changes once made, may be used from any goroutine, and travels as its pairs.
//
// [New] checks all known keys at once, so reading cannot fail: entry.Get(c) is the value that was set, else that of the
// entry it falls back to, else the default. A nil *Conf has all defaults. A setting may have older names ([Entry.Older]), which
// still count and give a warning.
//
// # Forms
//
// Values are read by Spark's rules (JavaUtils.timeStringAs and byteStringAs, ConfigBuilder):
//
//   - A time is a whole number and us, ms, s, m, min, h or d; without a suffix it counts in the unit of its entry. It is
//     cut to that unit: 1500ms is 1 s for an entry in seconds. A time beyond 292 years is 292 years.
//   - A size is a whole number and b, k, kb, m, mb, g, gb, t, tb, p or pb, all powers of 1024; without a suffix it
//     counts in the unit of its entry, and it is cut to that unit.
//   - A path is a file or directory of this machine, plain or as file:/path; other schemes are errors.
//   - Suffixes, true, false and the words of an enumeration may be in upper or lower case. White space around a value
//     does not matter. Fractions of times and sizes are errors.
//   - A few old entries of Spark are times in seconds without suffix (spark.worker.timeout); they take only a number.
//
// Variables in values, ${...}, are not expanded.
//
// # Origins
//
// [Settings] are settings of several places, each with its [Origin]: a file with its line, an option or a variable of the
// environment. [Settings.Conf] makes a Conf of them whose errors say where the malformed value stands.
//
// # Unknown keys
//
// A key that begins with spark. or coherer. but is not known here is kept, since an application may read it, and
// mentioned in [Conf.Warnings]. Other keys are dropped with a warning, as by spark-submit. A warning has the nearest known name.
//
// # Protection
//
// A setting that promises protection which nothing here gives, such as spark.authenticate, spark.ssl.enabled or yarn.acl.enable,
// is a [ProtectionError] unless it has its default: no process starts with it, whether a file, an option, a variable, a
// submission or a driver brings it.
//
// # Effect
//
// A setting that nothing reads yet is marked with the capability that will read it: [Conf.Warnings] names it and where it is from,
// unless it turns something off. A test (cluster, TestEachSettingIsReadOrMarked) holds that each entry is read or marked.
package conf
