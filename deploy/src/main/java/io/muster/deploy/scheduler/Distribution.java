package io.muster.deploy.scheduler;

import java.util.List;

/** How a distribution of Kubernetes is told to give kube-scheduler a configuration. */
public enum Distribution {
  /** Nothing is known of it but that kube-scheduler reads a file. */
  any(
      "/etc/kubernetes/scheduler.conf",
      """
      Start kube-scheduler with --config=%1$s/scheduler-config.yaml on every control-plane node, one
      after the other. It must be able to read the folder %1$s.
      """),
  kubeadm(
      "/etc/kubernetes/scheduler.conf",
      """
      1. Put this file into %1$s/scheduler-config.yaml on every control-plane node.
      2. Add to ClusterConfiguration in ConfigMap kube-system/kubeadm-config, so that kubeadm upgrade
         keeps it (kubeadm.k8s.io/v1beta4; before it, extraArgs is a map):
           scheduler:
             extraArgs:
             - name: config
               value: %1$s/scheduler-config.yaml
             extraVolumes:
             - name: muster
               hostPath: %1$s
               mountPath: %1$s
               readOnly: true
      3. Run on one control-plane node after the other:
           kubectl get configmap kubeadm-config -n kube-system -o jsonpath='{.data.ClusterConfiguration}' > kubeadm.yaml
           kubeadm init phase control-plane scheduler --config kubeadm.yaml
      """),
  rke2(
      "/var/lib/rancher/rke2/server/cred/scheduler.kubeconfig",
      """
      1. Put this file into %1$s/scheduler-config.yaml on every server node.
      2. Add to /etc/rancher/rke2/config.yaml there:
           kube-scheduler-arg:
           - config=%1$s/scheduler-config.yaml
           kube-scheduler-extra-mount:
           - %1$s:%1$s:ro
      3. Restart rke2-server on one server node after the other.
      """),
  k3s(
      "/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig",
      """
      1. Put this file into %1$s/scheduler-config.yaml on every server node.
      2. Add to /etc/rancher/k3s/config.yaml there:
           kube-scheduler-arg:
           - config=%1$s/scheduler-config.yaml
      3. Restart k3s on one server node after the other.
      """);

  private final String kubeconfig;
  private final String steps;

  Distribution(String kubeconfig, String steps) {
    this.kubeconfig = kubeconfig;
    this.steps = steps;
  }

  /** Path of the kubeconfig that its kube-scheduler uses. */
  String kubeconfig() {
    return kubeconfig;
  }

  /** What is to be done with the configuration, a line each. */
  List<String> steps(String folder) {
    return steps.formatted(folder).lines().toList();
  }
}
