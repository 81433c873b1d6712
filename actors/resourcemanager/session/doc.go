// Package session has the ResourceManager's endpoint ApplicationMasterService: it owns the sessions of ApplicationMasters, which
// are the response ids of their calls, the tokens that they have, and the time of each one's last call. It mirrors
// ApplicationMasterService, NMTokenSecretManagerInRM and AMLivelinessMonitor.
//
// ClientRMService begins and ends sessions, ResourceTracker sends what changes of nodes, and the scheduler gives containers.
// Each message stands with its method, except those that go up to ClientRMService: messages.go has them.
//
// One call of an attempt is handled at a time. A repetition gets the first answer again, and its content does not count twice.
package session
