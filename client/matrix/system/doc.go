// Package system switches the firewall and the MTU of interfaces on request,
// and undoes it on every way out.
//
// A guardian process does the changes ([Serve]); the program that wants them
// asks it through a pipe ([Guardian]). The state before a change is on disk, in
// a [journal], before the change is made. When the pipe ends, because the
// program has ended however it did, the guardian restores what the journal
// holds. When the guardian is killed, the program restores; when both are gone,
// [Restore] does it later from the journal alone.
//
// Every system's firewalls and interfaces are changed by their own commands.
// No file of this package that speaks to one is tied to a system: a [Host] with
// another root runs them against recorded programs.
package system
