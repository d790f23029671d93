module holdfast.dev/testbed/testapp

go 1.26.0
