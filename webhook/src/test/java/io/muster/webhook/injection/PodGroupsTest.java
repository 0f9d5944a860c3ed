package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.NativePodGroups;
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

/** Members that are put into the PodGroup of their gang. */
final class PodGroupsTest {

  private static final Set<String> ADMITTED = Set.of("default-scheduler");
  private static final String OWN = NativePodGroups.nameOf(new GangId(Dialect.MUSTER, "n", "g"));

  private final PodReading reading =
      new PodReading(
          new PodConverter(new DialectDetector(), ADMITTED), InstantSource.fixed(Instant.EPOCH));

  private static JsonNode pod(String gang, String spec) {
    return Serialization.unmarshal(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"name":"p","namespace":"n","annotations":{%s}},
         "spec":{%s"containers":[{"name":"c","image":"i"}]}}
        """
            .formatted(gang, spec),
        JsonNode.class);
  }

  private static JsonNode member(String spec) {
    return pod("\"muster.io/gang-name\":\"g\",\"muster.io/gang-min\":\"2\"", spec);
  }

  private static String of(String group) {
    return "\"schedulingGroup\":{\"podGroupName\":\"%s\"},".formatted(group);
  }

  private Admission admission(JsonNode pod, boolean groups) throws MalformedPodException {
    var rules = new ProfilesReading(ADMITTED).defaults();
    return new PodAdmission(
            new PodAdmission.Sources(
                () -> rules,
                KnownKinds.ALL,
                NamespaceLabels.UNKNOWN,
                false,
                false,
                () -> Queues.NONE,
                Optional.empty(),
                Optional::empty,
                () -> groups))
        .admit(reading.facts(reading.sent(pod, "n")));
  }

  private JsonNode stored(JsonNode pod, boolean groups) throws MalformedPodException {
    return JsonPatch.apply(PatchJson.of(((Admission.Allowed) admission(pod, groups)).patch()), pod);
  }

  private static JsonNode groupOf(JsonNode pod) {
    return pod.at("/spec/schedulingGroup/podGroupName");
  }

  @Test
  void aMemberNamesTheGroupThatFollowsFromItsGangAndIsGated() throws MalformedPodException {
    var stored = stored(member(""), true);
    assertThat(groupOf(stored).asText()).isEqualTo(OWN);
    assertThat(stored.at("/spec/schedulingGates/0/name").asText()).isEqualTo("muster.io/gang");
    assertThat(((Admission.Allowed) admission(stored, true)).patch()).isEmpty();
  }

  /** The API has gone meanwhile: what the pod names is not taken back. */
  @Test
  void whoNamesItStaysInItAndIsGated() throws MalformedPodException {
    var stored = stored(member(of(OWN)), false);
    assertThat(groupOf(stored).asText()).isEqualTo(OWN);
    assertThat(stored.at("/spec/schedulingGates/0/name").asText()).isEqualTo("muster.io/gang");
  }

  @Test
  void whereNoneAreServedOrThePodIsInNoGangNoneIsNamed() throws MalformedPodException {
    assertThat(groupOf(stored(member(""), false)).isMissingNode()).isTrue();
    assertThat(groupOf(stored(pod("", ""), true)).isMissingNode()).isTrue();
  }

  @Test
  void aGroupOfTheUsersOwnIsLeftToTheCluster() throws MalformedPodException {
    assertThat(admission(member(of("mine")), true)).isEqualTo(Admission.UNCHANGED);
    assertThat(admission(member(of("muster-other-00000000")), true)).isEqualTo(Admission.UNCHANGED);
  }
}
