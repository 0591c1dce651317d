module example.com/web-demo

go 1.26
