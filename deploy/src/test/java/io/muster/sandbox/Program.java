package io.muster.sandbox;

import java.util.List;

/**
 * The programs a control plane consists of, and which found versions may stand in for built ones.
 */
public enum Program implements GoProgram {
  ETCD("etcd", "go.etcd.io/etcd/server/v3", "server", "--version", Fit.ETCD),
  APISERVER(
      "kube-apiserver",
      "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-apiserver",
      "--version",
      Fit.KUBERNETES),
  CONTROLLER_MANAGER(
      "kube-controller-manager",
      "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-controller-manager",
      "--version",
      Fit.KUBERNETES),
  SCHEDULER(
      "kube-scheduler",
      "k8s.io/kubernetes/cmd/kube-scheduler",
      "kube-scheduler",
      "--version",
      Fit.KUBERNETES),
  KUBECTL(
      "kubectl", "k8s.io/kubernetes/cmd/kubectl", "kubectl", "version --client", Fit.KUBERNETES),
  KWOK("kwok", "sigs.k8s.io/kwok/cmd/kwok", "kwok", "--version", Fit.KWOK);

  /** What a found program must report to be used. */
  enum Fit {
    /** Same minor version as go.mod names. */
    KUBERNETES,
    /** 3.5 or newer. */
    ETCD,
    /** 0.7 or newer. */
    KWOK
  }

  private final String file;
  private final String goPackage;
  private final String builtAs;
  private final String versionArguments;
  private final Fit fit;

  Program(String file, String goPackage, String builtAs, String versionArguments, Fit fit) {
    this.file = file;
    this.goPackage = goPackage;
    this.builtAs = builtAs;
    this.versionArguments = versionArguments;
    this.fit = fit;
  }

  @Override
  public String file() {
    return file;
  }

  @Override
  public String goPackage() {
    return goPackage;
  }

  @Override
  public String builtAs() {
    return builtAs;
  }

  List<String> versionArguments() {
    return List.of(versionArguments.split(" ", -1));
  }

  /**
   * Whether a program reporting this version may be used.
   *
   * @param kubernetes the version go.mod names
   */
  boolean accepts(Version reported, Version kubernetes) {
    return switch (fit) {
      case KUBERNETES -> reported.hasMinorOf(kubernetes);
      case ETCD -> reported.isAtLeast(3, 5);
      case KWOK -> reported.isAtLeast(0, 7);
    };
  }
}
