// Command fettle-shim runs a tool for fettle, inside a fixer's container or on this
// machine: see package shim. It is a program of its own, small and static, because it is
// copied into every Pod.
package main

import (
	"os"

	"github.com/fettle-dev/fettle/internal/shim"
)

func main() { os.Exit(shim.Main(os.Args[1:], os.Stderr)) }
