//go:build tools

// Package kwok names the programs that the test bed builds, so that go.mod and go.sum cover them.
package kwok

import (
	_ "sigs.k8s.io/kwok/cmd/kwok"
)
