package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PatchJson;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.NamespaceLabels;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods find the kube-scheduler that asks Muster without an edit of their manifests. */
final class AssignedSchedulerTest {

  private static final Set<String> ADMITTED = Set.of("default-scheduler", "muster-scheduler");
  private static final String GPU = "{\"limits\":{\"nvidia.com/gpu\":\"1\"}}";
  private static final String CPU = "{\"requests\":{\"cpu\":\"1\"}}";
  private static final String MEMBER =
      "{\"muster.io/gang-name\":\"g\",\"muster.io/gang-min\":\"2\"}";

  private final PodReading reading =
      new PodReading(
          new PodConverter(new DialectDetector(), ADMITTED), InstantSource.fixed(Instant.EPOCH));

  private static JsonNode pod(String scheduler, String annotations, String resources) {
    return Serialization.unmarshal(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"name":"p","namespace":"n","annotations":%s},
         "spec":{%s"containers":[{"name":"c","image":"i","resources":%s}]}}
        """
            .formatted(annotations, scheduler, resources),
        JsonNode.class);
  }

  private static String named(String scheduler) {
    return "\"schedulerName\":\"%s\",".formatted(scheduler);
  }

  private JsonNode stored(JsonNode pod, Optional<String> assigned) throws MalformedPodException {
    var rules = new ProfilesReading(ADMITTED).defaults();
    var admission =
        new PodAdmission(
            new PodAdmission.Sources(
                () -> rules,
                KnownKinds.ALL,
                NamespaceLabels.UNKNOWN,
                true,
                false,
                () -> Queues.NONE,
                assigned));
    var answer = admission.admit(reading.facts(reading.sent(pod, "n")));
    assertThat(answer).isInstanceOf(Admission.Allowed.class);
    return JsonPatch.apply(PatchJson.of(((Admission.Allowed) answer).patch()), pod);
  }

  private String scheduler(JsonNode pod) throws MalformedPodException {
    return stored(pod, Optional.of("muster-scheduler")).at("/spec/schedulerName").asText();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"schedulerName\":\"default-scheduler\","})
  void aPodWithADeviceGetsTheOneThatIsAssigned(String scheduler) throws MalformedPodException {
    assertThat(scheduler(pod(scheduler, "{}", GPU))).isEqualTo("muster-scheduler");
  }

  @Test
  void soDoesAMemberWithoutADevice() throws MalformedPodException {
    assertThat(scheduler(pod(named("default-scheduler"), MEMBER, CPU)))
        .isEqualTo("muster-scheduler");
  }

  @Test
  void anOrdinaryPodStaysWithTheClustersOwn() throws MalformedPodException {
    assertThat(scheduler(pod(named("default-scheduler"), "{}", CPU)))
        .isEqualTo("default-scheduler");
  }

  @Test
  void aPodThatNamesAnotherKeepsIt() throws MalformedPodException {
    assertThat(scheduler(pod(named("other"), "{}", GPU))).isEqualTo("other");
  }

  @Test
  void withoutTheSettingEveryPodKeepsIts() throws MalformedPodException {
    assertThat(
            stored(pod(named("default-scheduler"), MEMBER, GPU), Optional.empty())
                .at("/spec/schedulerName")
                .asText())
        .isEqualTo("default-scheduler");
  }

  @Test
  void whatWasAssignedOnceStaysWithoutAnotherChange() throws MalformedPodException {
    var once = stored(pod("", MEMBER, GPU), Optional.of("muster-scheduler"));

    assertThat(stored(once, Optional.of("muster-scheduler"))).isEqualTo(once);
  }
}
