//go:build !linux

package test

func bootedAsInit() bool { return false }

func runAsInit() {}
