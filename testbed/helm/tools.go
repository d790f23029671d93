//go:build tools

// Package helm names the programs that the test bed builds, so that go.mod and go.sum cover them.
package helm

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
