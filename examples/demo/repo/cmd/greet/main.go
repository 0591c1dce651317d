package main

import ("os"
"fmt")

func main() {
  name:="world"
  if len(os.Args)>1 { name=os.Args[1] }
	fmt.Println( "hello, "+name )
}
