//coherer:pure

// Package exceptions has Hadoop's exceptions as refusals: a service of YARN fails an ask with one, and its caller finds it with
// errors.Is. Wrap one with the cause: fmt.Errorf("%w: ...", exceptions.ApplicationNotFound). It mirrors
// org.apache.hadoop.yarn.exceptions.
package exceptions

import "github.com/coherer/coherer/rpcenv"

// Of ClientRMService.
var (
	// ApplicationNotFound: the ResourceManager knows no application of that id.
	ApplicationNotFound = rpcenv.NewRefusal("ApplicationNotFoundException", "ApplicationNotFoundException")
	// InvalidResourceRequest: a request is negative, or above the largest container.
	InvalidResourceRequest = rpcenv.NewRefusal("InvalidResourceRequestException", "InvalidResourceRequestException")
	// InvalidLabelResourceRequest: a request names a label of nodes, and no node here has one.
	InvalidLabelResourceRequest = rpcenv.NewRefusal("InvalidLabelResourceRequestException", "InvalidLabelResourceRequestException")
)

// Of ApplicationMasterService.
var (
	// ApplicationAttemptNotFound: the attempt is unknown, or has ended: its ApplicationMaster has to end.
	ApplicationAttemptNotFound = rpcenv.NewRefusal("ApplicationAttemptNotFoundException", "ApplicationAttemptNotFoundException")
	// ApplicationMasterNotRegistered: the ApplicationMaster has to register, again after a restart of the ResourceManager.
	ApplicationMasterNotRegistered = rpcenv.NewRefusal("ApplicationMasterNotRegisteredException", "ApplicationMasterNotRegisteredException")
	// InvalidApplicationMasterRequest: registered twice, or a response id that is neither the last nor the one before it.
	InvalidApplicationMasterRequest = rpcenv.NewRefusal("InvalidApplicationMasterRequestException", "InvalidApplicationMasterRequestException")
	// InvalidContainerRelease: a released container is not the attempt's.
	InvalidContainerRelease = rpcenv.NewRefusal("InvalidContainerReleaseException", "InvalidContainerReleaseException")
	// InvalidResourceBlacklistRequest: everything cannot be on a blacklist.
	InvalidResourceBlacklistRequest = rpcenv.NewRefusal("InvalidResourceBlacklistRequestException", "InvalidResourceBlacklistRequestException")
)

// Of all services, and of NodeManagers.
var (
	// Retriable: the service is not ready; ask again.
	Retriable = rpcenv.NewRefusal("RetriableException", "RetriableException")
	// YARN is any other: the text says what.
	YARN = rpcenv.NewRefusal("YarnException", "YarnException")
	// InvalidToken: the token is not genuine, is of another service, or has expired.
	InvalidToken = rpcenv.NewRefusal("InvalidToken", "InvalidToken")
)
