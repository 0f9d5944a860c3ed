package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.config.Config;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which names a certificate from elsewhere has to have. */
final class ServingCertificatesTest {

  private static final String WEBHOOK = "muster-webhook.muster-system.svc";
  private static final String EXTENDER = "muster-extender.muster-system.svc";

  private static Config config(Map<String, String> variables) {
    return Config.load(Optional.empty(), variables);
  }

  @Test
  void bothServicesAreCalledByTheirNames() {
    assertThat(ServingCertificates.calledAs(config(Map.of())))
        .containsExactlyInAnyOrder(WEBHOOK, EXTENDER);
  }

  @Test
  void aServiceThatMusterDoesNotLeadToTheLeaderIsNotCalledForSure() {
    assertThat(ServingCertificates.calledAs(config(Map.of("MUSTER_CFG_LEADER_ENDPOINT", "false"))))
        .containsExactly(WEBHOOK);
    assertThat(
            ServingCertificates.calledAs(config(Map.of("MUSTER_CFG_PLACEMENT_MODE", "affinity"))))
        .containsExactly(WEBHOOK);
  }
}
