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

const (
	// HadoopVersion is the Hadoop whose protocols these are. ResourceManager and NodeManagers tell it each other, and clients.
	HadoopVersion = "3.4.1"
	// DefaultRack is the rack of a node of which none is known.
	DefaultRack = "/default-rack"
)
