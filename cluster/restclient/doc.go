// Package restclient submits drivers to a standalone cluster by its REST interface, kills them and asks for their state. It
// mirrors org.apache.spark.deploy.rest.RestSubmissionClient and speaks to Spark's own Masters too.
//
// The Masters of a cluster are asked in turn until one has done what was asked: a Master that does not lead refuses. When none
// can be reached, or none of them is a REST server, the error is [ErrNoServer], and the caller may go another way.
package restclient
