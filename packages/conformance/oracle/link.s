// Functions without a body (see link.go) need an assembly file in their package.
