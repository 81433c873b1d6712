// Package resourcemanager is YARN's ResourceManager: it takes applications from clients, gives them containers on nodes,
// starts their ApplicationMasters, and copes with the loss of nodes, of ApplicationMasters and its own restart. It mirrors
// org.apache.hadoop.yarn.server.resourcemanager.
//
// [Start] registers four endpoints in one Env. Each owns its books; they share by messages alone:
//
//	ClientRMService           this package: applications and attempts, their records, the start of ApplicationMasters
//	ApplicationMasterService  session: response ids, tokens, the time of each ApplicationMaster's last call
//	ResourceTracker           tracker: nodes, their health, and the containers and applications that they have to end or forget
//	Scheduler                 scheduler: queues and containers; package fair decides, machines step, ends are kept until acknowledged
//
// Imports run one way: this package, tracker, session, scheduler. A message stands with its receiver, or, when it goes up that
// row, with its sender. What all four need is small: life, the identity and keys; input, the rules for what peers send; machine.
//
// Applications, attempts, containers and nodes step through the machines of package machine; `coherer trace show` has every
// step. An event that a state has no row for is logged and changes nothing.
//
// # Guarantees
//
//   - Each ApplicationMaster gets the end of each of its containers at least once, also over a restart: a node forgets a
//     container only when the ApplicationMaster's next call shows that the report arrived.
//   - One call of an attempt is handled at a time; a repetition gets the first answer again, and its content does not count
//     twice.
//   - Promises are durable: with a Store, submissions are answered, ApplicationMasters are started and ends are reported
//     only when their records are written (rpcenv.Journal). A ResourceManager that cannot write ends with exit code 1.
//   - Tokens prove the sender: an ApplicationMaster to the ResourceManager and to NodeManagers; see package token.
//
// # After a restart
//
// With a Store a ResourceManager goes on where the one before stopped. Its epoch is one higher; the ids of new containers
// contain it, and their numbers begin at 1 again. NodeManagers get RESYNC and register with the containers that they run;
// ApplicationMasters get ApplicationMasterNotRegisteredException and register again. The scheduler gives no containers until
// yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms is over.
package resourcemanager
