package io.muster.deploy.view;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A snapshot: nobody runs in it, and jobs are not in it. */
record FileSight(Replay replayed) implements Sight {

  FileSight(ClusterView view) {
    this(new Replay(view));
  }

  @Override
  public List<Pod> pods(String namespace) {
    return replayed.view().pods().stream()
        .filter(pod -> pod.key().namespace().equals(namespace))
        .toList();
  }

  @Override
  public Set<GangId> stored(String namespace) {
    return replayed.view().gangs().stream()
        .map(GangRecord::gang)
        .filter(gang -> gang.namespace().equals(namespace))
        .collect(Collectors.toSet());
  }

  @Override
  public Optional<GangReport> told(GangId gang) {
    return Optional.empty();
  }

  @Override
  public Optional<Replay> replay() {
    return Optional.of(replayed);
  }

  @Override
  public Optional<SeenJob> job(String namespace, String kind, String name) {
    return Optional.empty();
  }
}
