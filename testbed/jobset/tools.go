//go:build tools

// Package jobset names the program that the test bed builds, so that go.mod and go.sum cover it.
package jobset

import (
	_ "sigs.k8s.io/jobset"
)
