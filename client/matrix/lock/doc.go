// Package lock keeps two processes from working on the same files.
package lock
