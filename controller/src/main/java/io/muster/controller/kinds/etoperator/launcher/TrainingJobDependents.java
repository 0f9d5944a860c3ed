package io.muster.controller.kinds.etoperator.launcher;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.HeadlessService;
import io.muster.controller.kube.pod.PodAccount;
import io.muster.controller.kube.pod.PodParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a TrainingJob has beside its pods, by the names that its users know. */
public final class TrainingJobDependents {

  private static final int SSH_PORT = 22;
  private static final int SERVICE_PORT = 9009;

  private static final String DISCOVER =
      """
      #!/bin/sh
      while read -r line || [ -n "$line" ]; do
        [ -z "$line" ] || echo "$line"
      done < /etc/edl/hostfile
      """;

  private static final String KUBEXEC = PodParts.text(TrainingJobDependents.class, "kubexec.sh");

  private TrainingJobDependents() {}

  /** Each worker has a Service by its own name, so that the name resolves. */
  public static Service service(TrainingJob job, String worker, int index) {
    var labels = EtOperatorNames.labels(job.getMetadata().getName(), EtOperatorNames.WORKER);
    labels.put(EtOperatorNames.INDEX_LABEL, Integer.toString(index));
    var ports = new ArrayList<ServicePort>();
    if (TrainingJobSpecMapper.usesSsh(job)) {
      ports.add(HeadlessService.port("ssh-port", SSH_PORT));
    }
    ports.add(HeadlessService.port("kubeai-service-port", SERVICE_PORT));
    return HeadlessService.of(job, worker, labels, ports);
  }

  static Secret secret(TrainingJob job, SshKeys.Pair pair) {
    return new SecretBuilder()
        .withMetadata(metadata(job, job.getMetadata().getName(), Map.of()))
        .withType("Opaque")
        .withStringData(
            Map.of(
                "id_rsa",
                pair.privateKey(),
                "id_rsa.pub",
                pair.publicKey(),
                "config",
                """
                StrictHostKeyChecking no
                UserKnownHostsFile /dev/null
                ServerAliveInterval 10
                ServerAliveCountMax 3
                """))
        .build();
  }

  static ConfigMap config(TrainingJob job, List<String> workers) {
    var name = job.getMetadata().getName();
    var container =
        job.getSpec().etReplicaSpecs().worker().template().getSpec().getContainers().getFirst();
    return new ConfigMapBuilder()
        .withMetadata(
            metadata(job, EtOperatorNames.config(name), Map.of(EtOperatorNames.APP_LABEL, name)))
        .withData(
            Map.of(
                "hostfile",
                hostfile(job, workers),
                "deepspeed-hostfile",
                deepspeedHostfile(job, workers),
                "discover_hosts.sh",
                DISCOVER,
                "kubexec.sh",
                kubexec(container.getName())))
        .build();
  }

  /** How a launcher runs commands in workers by the API server; in the named container of them. */
  public static String kubexec(String container) {
    return KUBEXEC.replace("@CONTAINER@", container);
  }

  /** {@code host:slots} a line. */
  static String hostfile(TrainingJob job, List<String> workers) {
    return hosts(job, workers, ":");
  }

  /** {@code host slots=slots} a line. */
  static String deepspeedHostfile(TrainingJob job, List<String> workers) {
    return hosts(job, workers, " slots=");
  }

  private static String hosts(TrainingJob job, List<String> workers, String divider) {
    int slots = TrainingJobSpecMapper.slots(job);
    return workers.stream()
        .map(worker -> worker + divider + slots + "\n")
        .collect(Collectors.joining());
  }

  /** Who the launcher is; what it may do is its {@link #role}. */
  public static List<HasMetadata> identity(TrainingJob job) {
    var metadata = ofLauncher(job);
    return List.of(PodAccount.account(metadata), PodAccount.binding(metadata));
  }

  /** What the launcher may do: run commands in these workers, and no others. */
  static Role role(TrainingJob job, List<String> workers) {
    var config = EtOperatorNames.config(job.getMetadata().getName());
    var rules = new ArrayList<PolicyRule>();
    rules.add(rule("pods", List.of(), "get", "list", "watch"));
    if (!workers.isEmpty()) {
      // Without names the rule would be about all pods. By WebSocket exec is a get.
      rules.add(rule("pods/exec", workers, "create", "get"));
    }
    rules.add(rule("configmaps", List.of(config), "get"));
    return PodAccount.role(ofLauncher(job), rules);
  }

  private static PolicyRule rule(String resource, List<String> names, String... verbs) {
    return new PolicyRuleBuilder()
        .withApiGroups("")
        .withResources(resource)
        .withResourceNames(names)
        .withVerbs(verbs)
        .build();
  }

  private static ObjectMeta ofLauncher(TrainingJob job) {
    var name = job.getMetadata().getName();
    return metadata(job, EtOperatorNames.launcher(name), Map.of(EtOperatorNames.APP_LABEL, name));
  }

  private static ObjectMeta metadata(TrainingJob job, String name, Map<String, String> labels) {
    var metadata = Ownership.metadata(job, name);
    metadata.setLabels(labels.isEmpty() ? null : labels);
    return metadata;
  }
}
