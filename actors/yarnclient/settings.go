package yarnclient

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that a client of YARN reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	YARNStagingDir = conf.Optional(Settings, "spark.yarn.stagingDir", conf.Filled(conf.AbsolutePaths),
		"The directory under which submissions to YARN stage their files, and which every NodeManager sees; the user's home when unset.")
	YARNPreserveStagingFiles = conf.Declare(Settings, "spark.yarn.preserve.staging.files", conf.Bools, "false",
		"Whether the staged files stay when the application has ended.")
	yarnReportInterval = conf.Declare(Settings, "spark.yarn.report.interval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1s",
		"How often a client asks YARN for a report of the application.")
	yarnReportLoggingFrequency = conf.Declare(Settings, "spark.yarn.report.loggingFrequency", conf.AtLeast(conf.Ints, 1), "30",
		"After how many reports without a change a client logs one again.")
	yarnClientLaunchMonitorInterval = conf.Declare(Settings, "spark.yarn.clientLaunchMonitorInterval",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "1s",
		"How often a driver in client mode asks YARN whether its application master runs.")
	yarnSubmitWaitAppCompletion = conf.Declare(Settings, "spark.yarn.submit.waitAppCompletion", conf.Bools, "true",
		"Whether a client in cluster mode waits for the application's end.")
	yarnTags = conf.Optional(Settings, "spark.yarn.tags", conf.Lists,
		"Words that YARN keeps with the application.")
	yarnPriority = conf.Optional(Settings, "spark.yarn.priority", conf.Ints,
		"The application's priority among those that wait; larger is more urgent.")
	yarnAttemptFailuresValidityInterval = conf.Optional(Settings, "spark.yarn.am.attemptFailuresValidityInterval",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond),
		"After how long a failure of the application master no longer counts.")
	yarnAMNodeLabelExpression = conf.Optional(Settings, "spark.yarn.am.nodeLabelExpression", conf.Texts,
		"The label of the nodes that may run the application master.")
	yarnUnmanagedAM = conf.Declare(Settings, "spark.yarn.unmanagedAM.enabled", conf.Bools, "false",
		"Whether the application master runs in the client's process; not done here.")
	yarnArchive = conf.Optional(Settings, "spark.yarn.archive", conf.Filled(conf.Texts),
		"An archive with Spark's jars, to be unpacked in every container: refused, since a Go program needs none.")
	_ = conf.Optional(Settings, "spark.yarn.jars", conf.Lists,
		"Spark's jars, instead of those of this machine; a Go program needs none.").Awaits("Spark's own jars")
	YARNPollInterval = conf.Declare(Settings, "yarn.client.application-client-protocol.poll-interval-ms",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "200",
		"How often a client asks whether its submission was accepted.")
	yarnPollTimeout = conf.Declare(Settings, "yarn.client.application-client-protocol.poll-timeout-ms", conf.Durations(time.Millisecond), "-1",
		"After how long a client gives up a submission that is not accepted; negative for never.")
)
