package io.muster.deploy.doctor;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.watch.EveryPod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Pods that hang on a Muster that lets go of them, and members that started without it. */
record PodChecks(KubernetesClient client, Config settings) {

  List<Finding> findings() {
    var gated = new ArrayList<Pod>();
    var past = new ArrayList<Pod>();
    var elsewhere = new ArrayList<Pod>();
    var labels = namespaceLabels();
    var shadow = shadow(labels, settings.defaultEnrolment());
    boolean isReleased =
        Enrolment.isReleased(labels.getOrDefault(settings.text(Setting.NAMESPACE), Map.of()));
    var translation = new PodConverter(new DialectDetector(), settings.schedulers());
    EveryPod.of(
        client,
        read -> {
          var pod = translation.pod(read);
          if (pod.isGatedByMuster() && !pod.isTerminal()) {
            gated.add(pod);
          }
          if (!shadow.contains(pod.key().namespace())) {
            if (isPast(pod)) {
              past.add(pod);
            }
            boolean namesGang = Marks.annotations(read).containsKey(GangKeys.NAME);
            if (namesGang && pod.origin().nativeGang() && !pod.isTerminal()) {
              elsewhere.add(pod);
            }
          }
        });
    var findings = new ArrayList<Finding>();
    findings.add(gates(gated, isReleased));
    if (!isReleased && !elsewhere.isEmpty()) {
      findings.add(inOtherGroups(elsewhere));
    }
    if (isReleased || !settings.rules().placement().isAsked()) {
      return findings;
    }
    findings.add(
        past.isEmpty()
            ? Finding.ok("members", "none was bound without Muster")
            : Finding.problem(
                "members",
                "bound without Muster, since they carry no muster.io/gang-member: " + shown(past),
                "they were made while the webhook was not asked; delete them, so that their owner"
                    + " makes them anew"));
    return findings;
  }

  private static Finding gates(List<Pod> gated, boolean isReleased) {
    if (gated.isEmpty()) {
      return Finding.ok("gates", "no pod is gated");
    }
    return isReleased
        ? Finding.problem(
            "gates",
            "Muster is released, and pods still carry its gate: " + shown(gated),
            "muster release --all takes them off, and may be repeated")
        : Finding.ok("gates", "%d pods wait behind Muster's gate".formatted(gated.size()));
  }

  private static Finding inOtherGroups(List<Pod> pods) {
    return Finding.problem(
        "members.groups",
        "Muster only observes pods that name a gang (%s) and also a PodGroup of the cluster's own"
                .formatted(GangKeys.NAME)
            + " gang scheduling: "
            + shown(pods),
        "leave spec.schedulingGroup out; where kube-controller-manager puts it in, turn its feature"
            + " gate WorkloadWithJob off, and have the owners make the pods anew");
  }

  /** Whether kube-scheduler bound the member though its gang is Muster's to start. */
  private static boolean isPast(Pod pod) {
    return pod.membership().isPresent()
        && pod.isBound()
        && !pod.isTerminal()
        && !pod.reachesMuster()
        && pod.origin().placement().isEmpty();
  }

  private Map<String, Map<String, String>> namespaceLabels() {
    return client.namespaces().list().getItems().stream()
        .collect(Collectors.toMap(namespace -> namespace.getMetadata().getName(), Marks::labels));
  }

  private static Set<String> shadow(Map<String, Map<String, String>> labels, Enrolment fallback) {
    var names = new HashMap<>(labels);
    names.values().removeIf(of -> Enrolment.of(of, fallback) != Enrolment.SHADOW);
    return names.keySet();
  }

  private static String shown(List<Pod> pods) {
    return Finding.shown(pods.stream().map(Pod::key).toList());
  }
}
