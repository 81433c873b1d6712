// Package spark is what Master and Worker serve over HTTP: their pages, /json and /metrics, the actions of a Master's page, and the
// logs of what a Worker ran. It mirrors org.apache.spark.deploy.master.ui and org.apache.spark.deploy.worker.ui.
//
// # Differences from Spark
//
//   - Unknown paths return 404; Spark answers with the main page. (TestAPathThatThereIsNotIs404)
//   - Actions want no token: a browser's Sec-Fetch-Site and Origin say which page sent a POST, and other clients are sent by
//     their users. Spark 4.1 wants the token of its page. (TestAPOSTFromAForeignPageIsRefused)
//   - An action on an id that the Master does not know is 404, with a line in the log, and a terminate that is neither true nor
//     false 400; Spark leads back to its page, or answers 500. (TestAKillOfNothingIsAnswered)
//   - With coherer.rest.tokenFile the pages kill nothing: they want no token. (TestNothingIsKilledByAPageWhereTheRESTServerWantsAToken)
//   - An application that does not run is looked for among the completed ones too. (TestTheApplicationPage)
//   - A failure has a code: 400, 403, 404 or 503. Spark's log pages answer 200 with a text, or 500.
//     (TestLogsCannotLeaveTheWorkDirectory)
//   - A piece of a log is at most 1 MiB. (TestALogIsReadInPieces)
//   - The /metrics paths need no metrics.properties, and lack the metrics of Spark's class loading and code generation, which
//     Coherer does not have. (TestMetricsHaveSparksNames)
//   - The values of environment variables, properties and options whose names speak of secrets are not shown.
//     (TestSecretsAreNotShown)
package spark
