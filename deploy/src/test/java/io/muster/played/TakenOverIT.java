package io.muster.played;

import io.muster.chart.TheirJobs;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A cluster whose jobs other operators ran changes over to Muster: what they had started goes on
 * with its pods, and what nobody had started yet runs.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class TakenOverIT {

  private static final Duration SOON = Duration.ofSeconds(90);

  @Test
  void whatRunsIsLeftAloneAndWhatWaitsIsStarted() throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("taken-over", 2)) {
      TheirJobs.bringDefinitions(cluster.sandbox());
      try (var theirs = cluster.open("theirs");
          var waiting = cluster.open("waiting")) {
        theirs.nodes(1, NodeShape.GPU8);
        waiting.nodes(2, NodeShape.GPU8);
        var started = TheirJobs.run(theirs);
        for (var job : KindJob.values()) {
          job.create(waiting);
        }

        Installation.in(cluster)
            .takeOver(
                Stream.of(KindJob.values())
                    .map(kind -> kind.set() + "=true")
                    .toArray(String[]::new));
        new ClusterScheduler(cluster).askMuster();

        for (var job : KindJob.values()) {
          Await.until("the job of " + job, SOON, () -> job.runs(waiting));
        }
        started.assertUntouched();
      }
    }
  }
}
