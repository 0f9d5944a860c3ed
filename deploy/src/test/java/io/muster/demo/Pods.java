package io.muster.demo;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.kube.gang.Gang;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads what pods and their gangs say now, past kubectl's tables. Safe for concurrent use. */
final class Pods {

  /**
   * When a pod ran, in whole seconds, as its container says.
   *
   * @param started when it began
   * @param ended when it ended
   */
  record Run(Instant started, Instant ended) {}

  private final KubernetesClient client;

  Pods(KubernetesClient client) {
    this.client = client;
  }

  /** Name to phase of the pods with this label {@code app}. */
  Map<String, String> phases(String namespace, String app) {
    return each(namespace, app, pod -> pod.getStatus().getPhase());
  }

  /** How many of the pods with this label are in that phase. */
  int count(String namespace, String app, String phase) {
    return (int) phases(namespace, app).values().stream().filter(phase::equals).count();
  }

  /** Name to the message of the condition PodScheduled, empty while there is none. */
  Map<String, String> explanations(String namespace, String app) {
    return each(
        namespace,
        app,
        pod ->
            pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("PodScheduled"))
                .filter(condition -> "Unschedulable".equals(condition.getReason()))
                .map(PodCondition::getMessage)
                .findFirst()
                .orElse(""));
  }

  /** Name to the messages of the warnings FailedScheduling that this component wrote. */
  Map<String, Set<String>> warnings(String namespace, String app, String component) {
    var events = client.v1().events().inNamespace(namespace).list().getItems();
    return each(
        namespace,
        app,
        pod ->
            events.stream()
                .filter(
                    event -> pod.getMetadata().getUid().equals(event.getInvolvedObject().getUid()))
                .filter(event -> "Warning".equals(event.getType()))
                .filter(event -> "FailedScheduling".equals(event.getReason()))
                .filter(event -> component.equals(event.getSource().getComponent()))
                .map(Event::getMessage)
                .collect(Collectors.toSet()));
  }

  /** When the ended pods with this label {@code gang} ran. */
  Collection<Run> runs(String namespace, String gang) {
    return client.pods().inNamespace(namespace).withLabel("gang", gang).list().getItems().stream()
        .map(pod -> pod.getStatus().getContainerStatuses().getFirst().getState().getTerminated())
        .map(Pods::run)
        .toList();
  }

  /** The phases that Muster reports of the gangs of a namespace. */
  List<String> gangPhases(String namespace) {
    return client.resources(Gang.class).inNamespace(namespace).list().getItems().stream()
        .map(gang -> gang.getStatus() == null ? "" : gang.getStatus().phase())
        .toList();
  }

  private static Run run(ContainerStateTerminated ended) {
    return new Run(Instant.parse(ended.getStartedAt()), Instant.parse(ended.getFinishedAt()));
  }

  private <T> Map<String, T> each(String namespace, String app, Function<Pod, T> reading) {
    List<Pod> pods = client.pods().inNamespace(namespace).withLabel("app", app).list().getItems();
    var all = new TreeMap<String, T>();
    pods.forEach(pod -> all.put(pod.getMetadata().getName(), reading.apply(pod)));
    return all;
  }
}
