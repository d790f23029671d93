//go:build tools

// Package etcd names the programs that the test bed builds, so that go.mod and go.sum cover them.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3"
)
