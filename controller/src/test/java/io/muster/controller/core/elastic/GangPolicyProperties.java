package io.muster.controller.core.elastic;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.elastic.Decision.Cause;
import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * What holds whatever comes and goes. A thousand loads in a normal run; ten thousand, which take a
 * minute and a half, with {@code -Djqwik.tries.default=10000}.
 */
final class GangPolicyProperties {

  private static final int TICKS = 240;

  private record Change(String job, Instant at, boolean isGrowth, Cause cause, int arrivals) {}

  @Property
  void nobodyIsSentToAndFroUnlessAPodOrAGangForcedIt(@ForAll long seed, @ForAll HeadRoom headRoom) {
    var random = new Random(seed);
    var cluster =
        new ElasticCluster(new GangPolicy(headRoom)).devices("a", 10 + random.nextInt(30));
    cluster.ticksToLeave = 1 + random.nextInt(6);
    var changes = new ArrayList<Change>();
    int arrivals = 0;
    for (int i = 0; i < TICKS; i++) {
      arrivals += come(cluster, random, i);
      int before = cluster.decided.size();
      var now = cluster.now;
      cluster.tick();
      for (var decision : cluster.decided.subList(before, cluster.decided.size())) {
        changes.add(change(decision, now, arrivals));
      }
      sizesAreWithinBounds(cluster);
    }
    nobodyWentToAndFro(changes);
  }

  private static int come(ElasticCluster cluster, Random random, int tick) {
    return switch (random.nextInt(24)) {
      case 0 -> {
        int least = 1 + random.nextInt(3);
        if (cluster.jobs.size() < 6 && cluster.free("a") >= least) {
          var job =
              cluster.job(
                  "j" + tick, "a", random.nextInt(2), least, least, least + random.nextInt(20));
          job.stride = new Stride(1, 1 + random.nextInt(20));
          yield 1;
        }
        yield 0;
      }
      case 1 -> {
        cluster.gang("g" + tick, "a", random.nextInt(3), 1 + random.nextInt(8));
        yield 1;
      }
      case 2 -> {
        cluster.endSomeGang(random);
        yield 1;
      }
      case 3 -> {
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
          cluster.online("web-" + tick + "-" + i, "a", random.nextInt(3));
        }
        yield 1;
      }
      case 4 -> {
        cluster.endSomeOnline(random);
        yield 1;
      }
      default -> 0;
    };
  }

  private static Change change(Decision decision, Instant now, int arrivals) {
    return switch (decision) {
      case Decision.Grow grow -> new Change(grow.job(), now, true, Cause.LOAD, arrivals);
      case Decision.GiveBack back -> new Change(back.job(), now, false, back.cause(), arrivals);
    };
  }

  private static void sizesAreWithinBounds(ElasticCluster cluster) {
    for (var job : cluster.jobs.values()) {
      assertThat(job.size() - job.leaving.size()).isGreaterThanOrEqualTo(job.least);
      assertThat(job.size()).isLessThanOrEqualTo(job.most);
    }
    assertThat(cluster.free("a")).isNotNegative();
  }

  /** What is given for the next gang is forced by what came or went since the job grew. */
  private static void nobodyWentToAndFro(List<Change> changes) {
    for (var growth : changes) {
      for (var gift : changes) {
        if (growth.isGrowth()
            && !gift.isGrowth()
            && growth.job().equals(gift.job())
            && isCloseTo(growth.at(), gift.at())) {
          assertThat(gift.cause()).isNotEqualTo(Cause.EVENNESS);
          if (gift.cause() == Cause.HEAD_ROOM && gift.at().isAfter(growth.at())) {
            assertThat(gift.arrivals()).isGreaterThan(growth.arrivals());
          }
        }
      }
    }
  }

  private static boolean isCloseTo(Instant one, Instant other) {
    return one.isBefore(other.plus(Resizes.REST)) && other.isBefore(one.plus(Resizes.REST));
  }
}
