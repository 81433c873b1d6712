// Package launch says how the process of a container is started: its environment and in which order, what is expanded in its
// values and in the command, the script that a shell runs, and what the process's exit code means. It mirrors Hadoop's
// ContainerLaunch and AuxServiceHelper. It touches no file: the package that writes the script fills in the directories.
package launch
