// Package hadoop is what ResourceManager and NodeManager serve over HTTP: their pages, the ResourceManager's REST server below
// /ws/v1/cluster, and the logs of containers. It mirrors org.apache.hadoop.yarn.server.resourcemanager.webapp and
// org.apache.hadoop.yarn.server.nodemanager.webapp.
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
package hadoop
