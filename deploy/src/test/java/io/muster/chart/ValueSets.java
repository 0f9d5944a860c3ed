package io.muster.chart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values with which the chart is tried: each mode, each kind of jobs, all on, all off. */
final class ValueSets {

  static final List<String> ALL_KINDS =
      List.of("jobKinds={\"etoperator\":true,\"dlrover\":true,\"di\":true,\"paddle\":true}");

  /** With what takes rights of its own. */
  static final List<String> ALL_RIGHTS = List.of(ALL_KINDS.getFirst(), "board={\"enabled\":true}");

  static final List<String> EVERYTHING =
      List.of(
          ALL_KINDS.getFirst(),
          "replicas=3",
          "enrolment=\"all\"",
          "settings={\"preemption\":false,\"repairTimeoutSeconds\":60,\"clusterDomain\":\"example.org\"}",
          "queues={\"queues\":[{\"name\":\"all\",\"gpus\":8,\"namespaces\":[\"*\"]}]}",
          "topology={\"levels\":[{\"name\":\"rack\",\"label\":\"example.org/rack\",\"keep\":2}]}",
          "profiles={\"profiles\":[{\"name\":\"default\",\"terminationGracePeriodSeconds\":120}]}",
          "jvm={\"heap\":\"2g\",\"young\":\"256m\",\"options\":[\"-Xlog:gc\"]}",
          "resources={\"limits\":{\"memory\":\"2432Mi\"}}",
          "priorityQuota=true",
          "image={\"digest\":\"sha256:%s\",\"pullSecrets\":[\"registry\"]}"
              .formatted("0".repeat(64)),
          "nodeSelector={\"pool\":\"system\"}",
          "tolerations=[{\"operator\":\"Exists\"}]",
          "topologySpread=\"host\"",
          "podLabels={\"team\":\"platform\"}",
          "podAnnotations={\"example.org/scrape\":\"true\"}",
          "extender={\"service\":{\"clusterIP\":\"10.96.77.77\"}}",
          "schedulerFiles={\"enabled\":true}",
          "board={\"enabled\":true,\"port\":9999,\"blockLabel\":\"example.org/block\",\"rackLabel\":\"example.org/rack\",\"grafana\":\"https://grafana.example.org/d/fleet\",\"url\":\"https://board.example.org/?a=1&b=2\"}",
          "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"10.0.0.0/28\"],\"schedulerCidrs\":[\"10.0.0.0/28\"],\"monitoringNamespace\":\"monitoring\",\"boardNamespace\":\"ingress\"}",
          "monitoring={\"podMonitor\":true,\"rules\":true,\"dashboards\":true,\"labels\":{\"release\":\"prometheus\"}}");

  /** Needs a kind that helm knows of from the cluster, or is told. */
  static final String CERT_MANAGER = "cert-manager";

  private ValueSets() {}

  static Map<String, List<String>> all() {
    var sets = new LinkedHashMap<String, List<String>>();
    sets.put("shared", List.of());
    sets.put("second", List.of("mode=\"second\""));
    sets.put("affinity", List.of("mode=\"affinity\""));
    sets.put("native", List.of("mode=\"native\""));
    sets.put("shadow", List.of("enrolment=\"shadow\""));
    for (var kind : List.of("etoperator", "dlrover", "di", "paddle")) {
      sets.put(kind, List.of("jobKinds={\"%s\":true}".formatted(kind)));
    }
    sets.put("everything", EVERYTHING);
    sets.put(
        "second-everything",
        List.of(
            "mode=\"second\"",
            ALL_KINDS.getFirst(),
            "secondScheduler={\"tag\":\"v1.35.0\",\"replicas\":3}",
            "settings={\"assignScheduler\":\"\"}",
            "certificates={\"source\":\"secret\",\"serverSecret\":\"given\",\"clientSecret\":\"clients\"}",
            "board={\"enabled\":true,\"tlsSecret\":\"board\"}",
            "networkPolicy={\"enabled\":true,\"apiserverCidrs\":[\"fd00::/64\"]}"));
    sets.put(
        CERT_MANAGER,
        List.of(
            "certificates={\"source\":\"cert-manager\",\"issuerRef\":{\"name\":\"platform\",\"kind\":\"ClusterIssuer\"}}",
            "board={\"enabled\":true,\"tlsNames\":[\"board.example.org\"]}",
            "settings={\"serverNames\":\"muster.example.org, 10.0.0.9,fd00::9\"}"));
    sets.put(
        "nothing",
        List.of(
            "replicas=1",
            "allowSingle=true",
            "definitions={\"install\":false}",
            "disruptionBudget={\"enabled\":false}",
            "uninstallHook={\"enabled\":false}",
            "topologySpread=\"none\"",
            "priorityClassName=\"\""));
    sets.put(
        "host-network",
        List.of(
            "hostNetwork=true",
            "ports={\"extender\":10443,\"webhook\":10250,\"health\":10445}",
            "affinity={\"nodeAffinity\":{}}",
            "definitions={\"keep\":false}",
            "uninstallHook={\"force\":true}"));
    return sets;
  }
}
