//go:build tools

// Package cni names the programs that the test bed builds, so that go.mod and go.sum cover them.
package cni

import (
	_ "github.com/containernetworking/plugins/plugins/ipam/host-local"
	_ "github.com/containernetworking/plugins/plugins/main/bridge"
)
