//coherer:pure

package ids

// Names of endpoints. Other roles look them up by these, and need nothing else of their packages.
const (
	// Master is a standalone Master's. Workers, applications and clients look it up.
	Master = "Master"
	// Worker is a standalone Worker's. Its Masters look it up.
	Worker = "Worker"
	// ClientRMService is a ResourceManager's for clients, ApplicationMasterService for ApplicationMasters, and ResourceTracker for
	// NodeManagers.
	ClientRMService          = "ClientRMService"
	ApplicationMasterService = "ApplicationMasterService"
	ResourceTracker          = "ResourceTracker"
	// Scheduler is a ResourceManager's for these three: it decides which application gets what.
	Scheduler = "Scheduler"
	// ContainerManager is a NodeManager's. The ResourceManager and ApplicationMasters start containers there.
	ContainerManager = "ContainerManager"
	// YarnScheduler is a driver's on YARN, for its ApplicationMaster.
	YarnScheduler = "YarnScheduler"
)

const (
	// HadoopVersion is the Hadoop whose protocols these are. ResourceManager and NodeManagers send it to each other and to clients.
	HadoopVersion = "3.4.1"
	// DefaultRack is the rack of a node whose rack is unknown.
	DefaultRack = "/default-rack"
)
