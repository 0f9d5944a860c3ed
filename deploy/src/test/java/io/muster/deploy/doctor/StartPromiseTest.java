package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.PlacementMode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the doctor says of the promise with which gangs start. */
final class StartPromiseTest {

  private static final Optional<String> SERVED = Optional.of("v1alpha2");

  private static Finding of(Optional<String> version, int groups, int scheduled) {
    return new StartPromise(PlacementMode.NATIVE, version, groups, scheduled).findings().getFirst();
  }

  @Test
  void withoutPodGroupsOnlyThePromiseOfAffinityHolds() {
    var finding = of(Optional.empty(), 0, 0);
    assertThat(finding.isProblem()).isTrue();
    assertThat(finding.toString()).contains("GangScheduling");
  }

  @Test
  void whetherKubeSchedulerServesThemIsToldByTheirConditions() {
    assertThat(of(SERVED, 2, 0).toString()).contains("has told of none");
    assertThat(of(SERVED, 2, 1))
        .isEqualTo(
            Finding.ok(
                "promise",
                "PodGroups are served (v1alpha2), Muster has made 2: kube-scheduler binds gangs"
                    + " whole or not at all"));
  }

  @Test
  void whereKubeSchedulerAsksNothingIsSaid() {
    assertThat(new StartPromise(PlacementMode.EXTENDER, SERVED, 0, 0).findings()).isEmpty();
  }
}
