// Package launch says how the process of a container is started: its environment and in which order, what is expanded in its
// values and in the command, the script that a shell runs, and what the process's exit code means. It mirrors Hadoop's
// ContainerLaunch and AuxServiceHelper. It touches no file: the package that writes the script fills in the directories.
//
// # Differences from Hadoop
//
//   - Quotes, backslashes and backticks in a variable's value stay what they are; Hadoop puts the value between double quotes
//     as it is, and a quote ends it. Both expand $NAME, and take \$ for a dollar. (TestAValueArrivesAsItIs)
//   - GOMAXPROCS and GOMEMLIMIT tell a container what it has, unless it sets them itself. (TestEnvironment)
package launch
