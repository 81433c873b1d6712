// Package web is the faces of a cluster over HTTP: the pages of Master and Worker with their /json and /metrics, and the logs of
// what a Worker ran; of ResourceManager and NodeManager the pages, the REST server below /ws/v1/cluster, and the logs of
// containers. Package rest beside it takes submissions.
//
// A face has no state of its own. Each request asks an endpoint, and waits for at most some seconds; an endpoint that does
// not answer makes it 503. Each of the two server loops bounds what a client can cost: times for head, body and answer, the size of
// the head, and how many requests are worked on at once.
//
// Who can reach a face is everybody on its address, which is loopback unless another is asked for. That it is a browser
// which was sent by a foreign page is what must not be: a request whose Host is none of the server's names is refused, else
// a name that an attacker points at 127.0.0.1 would read all (DNS rebinding); and a POST of another origin is refused.
// Names, users, reasons and addresses come from peers: pages escape them, and log pages open nothing but plain files under the work
// directory, through no link.
//
// # Differences from Spark
//
//   - A path that there is not is 404; Spark answers with the main page. (TestAPathThatThereIsNotIs404)
//   - Actions want no token: the browser's own Sec-Fetch-Site and Origin say whence a POST comes, and what is no browser
//     needs no protection from itself. Spark 4.1 wants the token of its page. (TestAPOSTFromAForeignPageIsRefused)
//   - An action on an id that the Master does not know is 404, with a line in the log, and a terminate that is neither true nor
//     false 400; Spark leads back to its page, or answers 500. (TestAKillOfNothingIsAnswered)
//   - With coherer.rest.tokenFile the pages kill nothing: they want no token. (TestNothingIsKilledByAPageWhereTheRESTServerWantsAToken)
//   - An application that does not run is looked for among the completed ones too. (TestTheApplicationPage)
//   - What fails, fails with a code: 400, 403, 404 or 503. Spark's log pages answer 200 with a text, or 500.
//     (TestLogsCannotLeaveTheWorkDirectory)
//   - A piece of a log is at most 1 MiB. (TestALogIsReadInPieces)
//   - The /metrics paths are there without a metrics.properties, and there are no metrics of Spark's class loading and
//     code generation, which Coherer does not have. (TestMetricsHaveSparksNames)
//   - The values of environment variables, properties and options whose names speak of secrets are not shown.
//     (TestSecretsAreNotShown)
//
// # Differences from Hadoop
//
//   - The REST server reads, and writes JSON alone: who accepts something else is answered 406. Hadoop writes XML too, and
//     answers 500 or 503 to who accepts neither. (TestThereIsNoXML)
//   - Applications come in the order of their submission, and limit takes the first of them; Hadoop has no order.
//     (TestFiltersAreHadoops)
//   - There is nothing of what nobody measures or has here: resourceRequests of an application, use, version and labels of a
//     node, when Hadoop was built, how busy the scheduler is: the rows of hadoopHas. (TestTheRESTServerAnswersAsHadoops)
//   - trackingUrl is the ApplicationMaster's own, as there is no proxy; the limit of a queue's ApplicationMasters is of now;
//     minResources that are not set have no bounds; why an application waits is told by coherer why app, not by its
//     diagnostics: the rows of otherValues. (TestTheRESTServerAnswersAsHadoops)
//   - An id of an application is what is printed: application_1_1 is none. (TestErrorsAreHadoops)
//   - A path that there is not is 404 in plain words, not a page. (TestErrorsAreHadoops)
//   - A log is read as a Worker's is, with offset and byteLength; Hadoop's pages have start and end. (TestTheLogsOfAContainer)
package web
