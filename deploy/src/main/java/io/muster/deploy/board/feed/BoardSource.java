package io.muster.deploy.board.feed;

import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Where the board looks. Safe for concurrent use. */
public interface BoardSource extends AutoCloseable {

  /**
   * What is to be seen now; empty if that is what was seen before.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server refuses
   */
  Optional<Seen> look() throws InterruptedException;

  /** Waits until something has changed, but not longer than that. */
  void awaitChange(Duration longest) throws InterruptedException;

  /**
   * Events of a gang, the newest first.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server refuses
   */
  List<GangPage.EventRow> events(GangId gang);

  @Override
  void close();
}
