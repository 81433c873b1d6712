// Package rest is the server that takes submissions of drivers by HTTP, on port 6066. It mirrors
// org.apache.spark.deploy.rest.StandaloneRestServer: the same paths below /v1/submissions, the same JSON, the same codes.
//
// The server has no state. Each request is checked, turned into a message and asked of the Master, within the pages' patience;
// a body is at most 4 MiB. Everybody who reaches the server can run programs on the Workers. So it is off by default, listens on
// loopback by default and refuses what a foreign page in a browser sends. With coherer.rest.tokenFile every request has to
// bring a token.
//
// # Differences from Spark
//
//   - spark.master.rest.enabled is false by default; Spark 4.1 has true. (TestTokenRule)
//   - The server can be behind a bearer token, that of coherer.rest.tokenFile; Spark's wants a filter for that.
//     (TestTokenRule, TestWithoutTheTokenNothingHappens)
//   - Properties that promise protection which nothing gives, such as spark.authenticate=true, are 400; Spark submits the
//     driver. (TestASettingThatPromisesProtectionIsRefused)
//   - The answer to a malformed request has the first line of Spark's message and then the reason, not a stack trace; broken
//     JSON is reported in other words. (TestAnswersAreSparks)
//   - For a method that does not fit the answer is an ErrorResponse, where Spark's web server sends a page of HTML; an unknown
//     action is 400 and not 500. (TestAnswersAreSparks)
//   - {{NAME}} is not replaced when the name speaks of a secret: a submission could read the Master's.
//     (TestPlaceholdersOfSecretsStay)
//   - A variable that no process can have is refused; Spark's driver fails at the Worker.
//     (TestAnEnvironmentThatCannotBeIsRefused)
//   - A body that is too large is 413. (TestAHugeBodyIsRefused)
package rest
