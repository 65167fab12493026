module example.com/demo-capsule

go 1.22
