package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.NamespaceLabels;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods that nobody has made, as they would be stored. */
final class PreviewTest {

  private final Preview preview =
      new Preview(
          new PodConverter(new DialectDetector()),
          new PodAdmission.Sources(
              () -> new ProfilesReading(Set.of("default-scheduler")).defaults(),
              KnownKinds.ALL,
              NamespaceLabels.UNKNOWN),
          InstantSource.fixed(Instant.EPOCH));

  private static Pod member(String minimum) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: ml
          annotations:
            gang.scheduling.koordinator.sh/name: g
            gang.scheduling.koordinator.sh/min-available: "%s"
        spec:
          containers: [{name: main, image: any, resources: {limits: {nvidia.com/gpu: 1}}}]
        """
            .formatted(minimum),
        Pod.class);
  }

  @Test
  void theyTolerateTheTaintsOfTheirDevicesAsStoredOnesDo() {
    assertThat(preview.of(member("4")))
        .isInstanceOfSatisfying(
            Preview.Seen.Stored.class,
            seen -> {
              assertThat(seen.pod().demand().tolerations())
                  .anyMatch(toleration -> toleration.toString().contains("nvidia.com/gpu"));
              assertThat(seen.pod().membership().orElseThrow().gang()).hasToString("ml/g");
            });
  }

  @Test
  void oneThatWouldBeRefusedIsSoWithTheReason() {
    assertThat(preview.of(member("four")))
        .isInstanceOfSatisfying(
            Preview.Seen.Refused.class,
            seen -> assertThat(seen.sentence()).contains("min-available", "four"));
  }
}
