package controllers

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Connect says how to reach the cluster: by a kubeconfig file, or, without one, as the Pod
// that this is.
func Connect(kubeconfig string) (*rest.Config, error) {
	var config *rest.Config
	var err error
	if kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("reach the cluster: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	return config, nil
}
