package io.muster.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.elastic.View;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** By which policy sizes are decided where nothing is set. */
final class ElasticPolicyTest {

  private static final Terms SHARING = new Terms(Sharing.WITH_EQUALS, Duration.ZERO, List.of());

  /** One node, on which a gang has room once a single worker is gone. */
  private static final CapacityOracle ROOM =
      new CapacityOracle() {
        @Override
        public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
          return Collections.nCopies(
              wishes.size(), Optional.of(List.of("n")).filter(_ -> !gone.isEmpty()));
        }

        @Override
        public boolean couldUse(Wish wish, String node) {
          return true;
        }

        @Override
        public Amounts asks(String podUid) {
          return new Amounts(1_000, 0, 1);
        }

        @Override
        public Amounts offered() {
          return Amounts.NONE;
        }

        @Override
        public Amounts asked() {
          return Amounts.NONE;
        }

        @Override
        public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
          var sites = new HashMap<String, Site>();
          podUids.forEach(uid -> sites.put(uid, new Site("n", 0)));
          return sites;
        }
      };

  private static ResizableJob job(String name, Terms terms) {
    var workers =
        List.of(
            new Worker(name + "-0", name + "-0", Instant.EPOCH),
            new Worker(name + "-1", name + "-1", Instant.EPOCH));
    return new ResizableJob(
        name, 0, workers, 1, 2, Stride.ONE, Duration.ZERO, Optional.empty(), true, true, 0, terms);
  }

  @Test
  void jobsOfAllTermsAreDecidedTogether() {
    var view =
        new View(
            List.of(job("shares", SHARING), job("yields", Terms.YIELDING)),
            List.of(new View.Waiting("g", 1)),
            List.of(),
            List.of(),
            ROOM);

    var decided = Config.load(Optional.empty(), Map.of()).elasticity().plan(view, Instant.EPOCH);

    assertThat(decided).singleElement().isInstanceOf(Decision.GiveBack.class);
  }
}
