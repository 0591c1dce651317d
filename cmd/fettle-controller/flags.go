package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/fettle-dev/fettle/controllers"
)

// settings are what the flags say.
type settings struct {
	controllers.Options
	kubeconfig string
	pullPolicy string
	verbose    bool
}

// add declares the flags. docs/controller.md has a row for each.
func (s *settings) add(f *pflag.FlagSet) {
	f.StringVar(&s.kubeconfig, "kubeconfig", "", "`file` that says how to reach the cluster (default: as the Pod that this is)")
	f.StringVar(&s.Image, "image", "", "`image` of the sidecar, which has fettle and fettle-shim (default: $FETTLE_IMAGE)")
	f.StringVar(&s.pullPolicy, "image-pull-policy", "", "`policy` for that image: Always, IfNotPresent or Never (default: the cluster's)")
	f.StringVar(&s.Identity, "identity", s.Identity, "`USER:GROUP` of the containers in numbers, or assigned where the cluster assigns them")
	f.StringSliceVar(&s.Namespaces, "namespaces", nil, "`names` of the namespaces to look after (default: all)")
	f.IntVar(&s.Workers, "workers", s.Workers, "`number` of runs that are looked after at once")
	f.StringVar(&s.MetricsAddress, "metrics-address", s.MetricsAddress, "`address` of the metrics, 0 for none")
	f.StringVar(&s.HealthAddress, "health-address", s.HealthAddress, "`address` of /healthz and /readyz, 0 for none")
	f.BoolVar(&s.LeaderElection, "leader-election", s.LeaderElection, "work only while holding the lease")
	f.StringVar(&s.LeaderElectionNamespace, "leader-election-namespace", "", "`namespace` of the lease (default: that of the Pod)")
	f.DurationVar(&s.LeaseDuration, "lease-duration", s.LeaseDuration, "how long a lease lasts that isn't renewed")
	f.DurationVar(&s.Timeout, "shutdown-timeout", s.Timeout, "how long to wait for what is under way when told to end")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "log what is done in detail")
}

// complete judges the flags and takes from the environment what they leave out.
func (s *settings) complete(getenv func(string) string) error {
	if s.Image == "" {
		s.Image = getenv("FETTLE_IMAGE")
	}
	if s.Workers < 1 || s.Workers > 256 {
		return fmt.Errorf("--workers is %d: give 1 to 256", s.Workers)
	}
	s.PullPolicy = corev1.PullPolicy(s.pullPolicy)
	return s.Validate()
}

func (s *settings) level() slog.Level {
	if s.verbose {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
