package controllers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/fettle-dev/fettle/internal/pods"
)

// Options is what a manager is started with.
type Options struct {
	Config *rest.Config // how to reach the cluster
	Logger logr.Logger

	Image      string            // of the sidecar: the image that fettle is in
	PullPolicy corev1.PullPolicy // of that image; "" is the cluster's default
	Identity   string            // "USER:GROUP" of the containers, or "assigned" to leave it to the cluster

	Namespaces []string // to watch; none is all
	Workers    int      // how many runs are looked after at once

	MetricsAddress string // "0" serves none
	HealthAddress  string // "0" serves none

	LeaderElection          bool
	LeaderElectionNamespace string // "" is that of the Pod
	LeaseDuration           time.Duration
	Timeout                 time.Duration // for what is under way when the manager is told to end
}

// Defaults are the options that are in force where nothing else is said.
func Defaults() Options {
	return Options{
		Identity: "65532:65532", Workers: 4,
		MetricsAddress: ":8080", HealthAddress: ":8081",
		LeaderElection: true, LeaseDuration: 15 * time.Second, Timeout: 20 * time.Second,
	}
}

// Validate says what is wrong with the options, if anything is.
func (o Options) Validate() error {
	_, err := o.pods()
	return err
}

// pods is what the Pods of all runs share.
func (o Options) pods() (pods.Config, error) {
	c := pods.Config{Image: o.Image, PullPolicy: o.PullPolicy, Sidecar: pods.DefaultSidecar(), Fixer: pods.DefaultFixer()}
	if o.Image == "" {
		return c, errors.New("no image for the sidecar: give --image")
	}
	switch o.PullPolicy {
	case "", corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever:
	default:
		return c, fmt.Errorf("the pull policy %q: give Always, IfNotPresent or Never", o.PullPolicy)
	}
	var err error
	c.Identity, err = parseIdentity(o.Identity)
	return c, err
}

// parseIdentity reads "USER:GROUP"; "assigned" is none.
func parseIdentity(text string) (*pods.Identity, error) {
	if text == "assigned" {
		return nil, nil
	}
	user, group, ok := strings.Cut(text, ":")
	id := &pods.Identity{}
	var err1, err2 error
	id.User, err1 = strconv.ParseInt(user, 10, 64)
	id.Group, err2 = strconv.ParseInt(group, 10, 64)
	const most = 1<<32 - 2
	if !ok || err1 != nil || err2 != nil || id.User < 1 || id.User > most || id.Group < 0 || id.Group > most {
		return nil, fmt.Errorf("the identity %q: give USER:GROUP in numbers, such as 65532:65532, where USER isn't 0; or assigned", text)
	}
	return id, nil
}
