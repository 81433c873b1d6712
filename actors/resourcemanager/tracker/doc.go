// Package tracker has the ResourceManager's endpoint ResourceTracker: it owns the nodes, their health, and the containers and
// applications that they have to end or forget. It mirrors ResourceTrackerService, RMNodeImpl, NodesListManager and
// NMLivelinessMonitor.
//
// NodeManagers register and send heartbeats. The scheduler gets the news of a node, one message at a time; ApplicationMasterService
// hears which nodes come and go, ClientRMService which applications have files on one. Orders for a node, from the scheduler and
// ClientRMService, wait for the answer to its next heartbeat.
package tracker
