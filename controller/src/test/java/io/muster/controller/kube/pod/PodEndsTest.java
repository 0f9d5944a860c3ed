package io.muster.controller.kube.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A finalizer keeps pods that were deleted: whether they had ended before. */
final class PodEndsTest {

  private static Pod deleted(String phase, String at, long grace, String containers) {
    return Serialization.unmarshal(
        """
        metadata: {name: p, deletionTimestamp: "%s", deletionGracePeriodSeconds: %d}
        status: {phase: %s, containerStatuses: [%s]}
        """
            .formatted(at, grace, phase, containers),
        Pod.class);
  }

  private static String ended(String at) {
    return "{name: c, state: {terminated: {exitCode: 0, finishedAt: %s}}}"
        .formatted(at.isEmpty() ? "null" : "\"2026-01-01T00:" + at + "Z\"");
  }

  @ParameterizedTest
  @CsvSource({
    "Succeeded, 10:00, 0, 09:00, false",
    "Failed, 10:00, 0, 09:00, false",
    // Deleted at 09:30: the time says by when it shall have gone.
    "Failed, 10:00, 30, 09:20, false",
    "Failed, 10:00, 30, 09:31, true",
    // It died of its deletion, or the clocks differ.
    "Failed, 10:00, 0, 10:00, true",
    "Failed, 10:00, 0, 09:57, true",
    "Running, 10:00, 30, 09:00, true",
    "Failed, 10:00, 0, '', true"
  })
  void oneThatEndedBeforeItWasDeletedIsNotCutShort(
      String phase, String at, long grace, String end, boolean isCutShort) {
    var pod = deleted(phase, "2026-01-01T00:" + at + "Z", grace, ended(end));

    assertThat(PodEnds.isCutShort(pod)).isEqualTo(isCutShort);
  }

  @Test
  void eachContainerCounts() {
    var both = ended("09:00") + ", " + ended("10:00");
    assertThat(PodEnds.isCutShort(deleted("Failed", "2026-01-01T00:10:00Z", 0, both))).isTrue();
    var one = ended("09:00") + ", {name: d, state: {running: {}}}";
    assertThat(PodEnds.isCutShort(deleted("Failed", "2026-01-01T00:10:00Z", 0, one))).isTrue();
    assertThat(PodEnds.isCutShort(deleted("Failed", "2026-01-01T00:10:00Z", 0, ""))).isTrue();
  }

  /** Users may say any number, and the API server adds it up in a narrower one. */
  @ParameterizedTest
  @CsvSource({"1758-01-01T00:00:00Z, 10000000000", "2043-01-01T00:00:00Z, 9223372036854775807"})
  void aGracePeriodBeyondAllTimesIsReadAll(String at, long grace) {
    assertThat(PodEnds.isCutShort(deleted("Failed", at, grace, ended("09:00")))).isTrue();
  }

  @Test
  void whoIsNotDeletedIsNot() {
    var pod = deleted("Failed", "2026-01-01T00:10:00Z", 0, ended("10:00"));
    pod.getMetadata().setDeletionTimestamp(null);
    assertThat(PodEnds.isCutShort(pod)).isFalse();
  }
}
