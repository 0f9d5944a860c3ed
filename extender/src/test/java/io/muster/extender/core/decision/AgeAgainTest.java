package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms.OnLoss;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Since when a gang waits whose former members are still there: they have not waited with it. */
final class AgeAgainTest extends GangScenes {

  private void run(Duration time) {
    cluster.runUntil(cluster.sinceStart().plus(time));
  }

  private PodBuilder member(String name, String job) {
    return aPod(name)
        .gpus(1)
        .gang("g", terms("g", 2).onLoss(OnLoss.RESTART).build(), "")
        .ownedBy(job)
        .createdAt(cluster.now());
  }

  private Duration waited() {
    var gang = cluster.muster().cluster().gangs().all().iterator().next();
    return Duration.between(gang.arrivals.bornAt(), cluster.now());
  }

  /** The first of its jobs ran for a day and is kept, as the history of a CronJob is. */
  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "FAILED"})
  void thatIsNotSinceAFormerJobOfItsNameWhoeverLeads(Pod.Phase end) {
    gpuNodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(member("a-" + i, "first").build());
    }
    run(Duration.ofDays(1));
    for (int i = 0; i < 2; i++) {
      if (end == Pod.Phase.FAILED) {
        cluster.fail("uid-a-" + i, "");
      } else {
        cluster.complete("uid-a-" + i);
      }
    }
    cluster.create(aPod("filler").gpus(1).build());
    run(Duration.ofMinutes(1));
    for (int i = 0; i < 2; i++) {
      cluster.create(member("b-" + i, "second").build());
    }
    run(Duration.ofMinutes(1));
    assertThat(waited()).isLessThan(Duration.ofMinutes(2));
    cluster.changeLeaderAfter(seconds(1));
    run(Duration.ofMinutes(1));
    assertThat(waited()).isLessThan(Duration.ofMinutes(5));
  }

  /** Who looks at the cluster as it is reads the same from it. */
  @Test
  void oneOfWhichAllHaveEndedIsAsOldAsThey() {
    gpuNodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(member("a-" + i, "first").build());
    }
    run(Duration.ofDays(1));
    cluster.complete("uid-a-0");
    cluster.complete("uid-a-1");
    cluster.changeLeaderAfter(seconds(1));
    run(Duration.ofMinutes(1));
    assertThat(waited()).isGreaterThan(Duration.ofDays(1));
  }
}
