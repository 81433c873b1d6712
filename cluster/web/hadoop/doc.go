// Package hadoop is what ResourceManager and NodeManager serve over HTTP: their pages, the ResourceManager's REST server below
// /ws/v1/cluster, and the logs of containers. It mirrors org.apache.hadoop.yarn.server.resourcemanager.webapp and
// org.apache.hadoop.yarn.server.nodemanager.webapp.
package hadoop
