// Command reasons prints docs/reasons.md, the page of what the reasons of conditions mean.
package main

import (
	"fmt"

	"github.com/fettle-dev/fettle/internal/reasons"
)

func main() { fmt.Print(reasons.Page()) }
