// Package web is what a cluster serves over HTTP: the pages of Master and Worker with their /json and /metrics, and the logs of
// what a Worker ran; of ResourceManager and NodeManager the pages, the REST server below /ws/v1/cluster, and the logs of
// containers. Package rest beside it takes submissions.
//
// A server has no state of its own. Each request asks an endpoint, and waits for at most some seconds; when the endpoint does not
// answer, the request fails with 503. Each server bounds what a client can cost: times for head, body and answer, the size of the
// head, and the number of requests at once.
//
// Everybody who reaches the address of a server may use it; that is loopback unless the user sets another. The danger is a browser
// that a foreign page sends here. So a request whose Host is none of the server's names is refused: else a page could read all
// through a name that its owner points at 127.0.0.1 (DNS rebinding). A POST from another origin is refused too.
// Names, users, reasons and addresses come from peers: pages escape them, and log pages open only plain files under the work
// directory, and follow no link.
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
//
// # Differences from Hadoop
//
//   - The REST server is for reading, in JSON alone: a client that accepts only something else gets 406. Hadoop writes XML too,
//     and answers 500 or 503 to a client that accepts neither. (TestThereIsNoXML)
//   - Applications come in the order of their submission, and limit takes the first of them; Hadoop has no order.
//     (TestFiltersAreHadoops)
//   - Answers lack what Coherer does not have or measure: resourceRequests of an application, use, version and labels of a
//     node, when Hadoop was built, how busy the scheduler is: the rows of hadoopHas. (TestTheRESTServerAnswersAsHadoops)
//   - trackingUrl is the ApplicationMaster's own, as there is no proxy; the limit of a queue's ApplicationMasters is of now;
//     minResources that are not set have no bounds; the diagnostics of an application do not say why it waits, coherer why app
//     does: the rows of otherValues. (TestTheRESTServerAnswersAsHadoops)
//   - An id of an application has the form in which it is printed: application_1_1 is refused. (TestErrorsAreHadoops)
//   - Unknown paths return 404 in plain words, not as a page. (TestErrorsAreHadoops)
//   - A log is read as a Worker's is, with offset and byteLength; Hadoop's pages have start and end. (TestTheLogsOfAContainer)
package web
