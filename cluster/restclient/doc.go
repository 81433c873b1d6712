// Package restclient submits drivers to a standalone cluster by its REST interface, kills them and asks for their state. It
// mirrors org.apache.spark.deploy.rest.RestSubmissionClient and speaks to Spark's own Masters too.
//
// The Masters of a cluster are asked in turn until one has done what was asked: a Master that does not lead refuses. When none
// can be reached, or none of them is a REST server, the error is [ErrNoServer], and the caller may go another way.
//
// # Differences from Spark
//
//   - A submission that no Master took is an error with the reasons of all of them; Spark's client logs them and ends well.
//     (TestARefusalIsAnError)
//   - Answers above 1 MiB, redirections and ids that would lead elsewhere are refused. (TestAServerCannotHurt)
//   - A submission that is without answer for 10 s may have been taken: it is an error, and nobody submits it again by
//     another way. Spark falls back to RPC, and the driver may run twice. (TestAnAnswerThatDoesNotCome)
package restclient
