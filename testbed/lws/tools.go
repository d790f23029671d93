//go:build tools

// Package lws names the programs that the test bed builds, so that go.mod and go.sum cover them.
package lws

import (
	_ "sigs.k8s.io/lws/cmd"
)
