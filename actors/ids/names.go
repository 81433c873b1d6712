//coherer:pure

package ids

// What endpoints are called that others look up by their names, and have no other business with their packages.
const (
	// Master is a standalone Master's. Workers, applications and clients look it up.
	Master = "Master"
	// ClientRMService is a ResourceManager's for clients, ApplicationMasterService for ApplicationMasters, and ResourceTracker for
	// NodeManagers.
	ClientRMService          = "ClientRMService"
	ApplicationMasterService = "ApplicationMasterService"
	ResourceTracker          = "ResourceTracker"
	// ContainerManager is a NodeManager's. The ResourceManager and ApplicationMasters start containers there.
	ContainerManager = "ContainerManager"
	// YarnScheduler is a driver's on YARN, for its ApplicationMaster.
	YarnScheduler = "YarnScheduler"
)
