// Package controllers keeps a cluster's objects of Fettle what they should be: it turns
// requests into runs, and takes runs through their Pods.
//
// A reconciler gathers what is, asks a pure function what to do (internal/lifecycle, and
// the decisions of this package), writes the status, and acts. It can be killed anywhere
// and goes on from what is. It never mounts a volume, runs a tool or looks at a file; it
// lists no Secret and no ConfigMap, and of Pods, claims and access only what it made.
package controllers
