package io.muster.deploy.board.feed;

import io.muster.deploy.view.Sight;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a source of the board has seen at one moment. Everything in it but the replay is immutable;
 * the replay belongs to whoever holds the lock of this object.
 *
 * @param replay empty where the whole cluster cannot be read
 * @param pods of all namespaces that can be seen, by namespace
 * @param objects Gang objects; none in a snapshot
 * @param expected when gangs start, as far as no Muster has told it
 */
public record Seen(
    BoardView.Source source,
    Instant at,
    Optional<Replay> replay,
    Map<String, List<Pod>> pods,
    Map<GangId, Gang> objects,
    Map<GangId, ExpectedStart> expected)
    implements Sight {

  public Seen {
    pods = Map.copyOf(pods);
    objects = Map.copyOf(objects);
    expected = Map.copyOf(expected);
  }

  /** Pods as they are looked up here. */
  static Map<String, List<Pod>> byNamespace(Collection<Pod> pods) {
    return pods.stream().collect(Collectors.groupingBy(pod -> pod.key().namespace()));
  }

  @Override
  public List<Pod> pods(String namespace) {
    return pods.getOrDefault(namespace, List.of());
  }

  @Override
  public Set<GangId> stored(String namespace) {
    return objects.keySet().stream()
        .filter(gang -> gang.namespace().equals(namespace))
        .collect(Collectors.toSet());
  }

  /** Nobody runs in a snapshot, and it is about the cluster as it was. */
  @Override
  public boolean isLed() {
    return source.led() || !source.kind().equals(BoardView.CLUSTER);
  }

  /** Where nothing can be worked out, also what a Muster has said that is running no more. */
  @Override
  public Optional<GangReport> told(GangId gang) {
    return Optional.ofNullable(objects.get(gang))
        .filter(_ -> source.led() || replay.isEmpty())
        .flatMap(object -> Optional.ofNullable(object.getStatus()))
        .flatMap(GangObjects::reportIn);
  }

  @Override
  public Optional<SeenJob> job(String namespace, String kind, String name) {
    return Optional.empty();
  }

  @Override
  public Optional<ExpectedStart> expectedStart(GangId gang) {
    return Optional.ofNullable(expected.get(gang));
  }
}
