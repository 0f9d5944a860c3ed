package io.muster.deploy.view;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangReport;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What there is to explain something by. Confined to one thread. */
public interface Sight {

  /** Pods of a namespace. */
  List<Pod> pods(String namespace);

  /** Gangs of a namespace that are stored, whether or not there are pods of them. */
  Set<GangId> stored(String namespace);

  /** What a running Muster has last said of a gang; empty if none runs, or it has said nothing. */
  Optional<GangReport> told(GangId gang);

  /** Whether a Muster runs; so it is taken to be where that is not known. */
  default boolean isLed() {
    return true;
  }

  /** When a gang that waits will start, as far as a Muster says that starts now. */
  default Optional<ExpectedStart> expectedStart(GangId gang) {
    return replay().flatMap(seen -> Optional.ofNullable(ForeseenStarts.of(seen).get(gang)));
  }

  /** A Muster of our own in front of the whole cluster; empty if that cannot be read. */
  Optional<Replay> replay();

  /**
   * The job of that name, if jobs can be seen.
   *
   * @param kind as kubectl takes it, such as {@code trainingjob} or {@code dijobs}; {@code job}
   *     means any kind
   */
  Optional<SeenJob> job(String namespace, String kind, String name);

  /**
   * A job of any kind.
   *
   * @param standing what it says of itself; empty if nothing
   * @param hasSucceeded as it says itself
   */
  record SeenJob(String kind, String uid, String standing, boolean hasSucceeded) {}
}
