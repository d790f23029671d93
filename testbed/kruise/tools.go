//go:build tools

// Package kruise names the program that the test bed builds, so that go.mod and go.sum cover it.
package kruise

import (
	_ "github.com/openkruise/kruise"
)
