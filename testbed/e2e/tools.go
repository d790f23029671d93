//go:build tools

// Package e2e names Kubernetes' own end-to-end tests, which the test bed builds, so that go.mod and go.sum cover them.
package e2e

import (
	_ "k8s.io/kubernetes/test/e2e"
)
