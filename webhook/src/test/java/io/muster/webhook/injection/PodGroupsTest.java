package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Members that are put into the PodGroup of their gang. */
final class PodGroupsTest {

  private static final Set<String> ADMITTED = Set.of("default-scheduler");
  private static final String OWN = NativeGroup.nameOf(new GangId(Dialect.MUSTER, "n", "g"));

  private Map<String, String> labels = Map.of();
  private boolean queues = true;

  private final PodReading reading =
      new PodReading(
          new PodConverter(new DialectDetector(), ADMITTED),
          InstantSource.fixed(Instant.EPOCH),
          this::labels,
          () -> queues);

  private Map<String, String> labels(String namespace) {
    return labels;
  }

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

  @Test
  void theGroupOfAnotherGangOfMustersIsRefusedWithTheFieldAndWhatToDo()
      throws MalformedPodException {
    var other = NativeGroup.nameOf(new GangId(Dialect.MUSTER, "n", "h"));
    for (var pod : List.of(member(of(other)), pod("", of(other)))) {
      var denied = (Admission.Denied) admission(pod, true);
      assertThat(denied.code()).isEqualTo(422);
      assertThat(denied.message())
          .contains("spec.schedulingGroup.podGroupName is \"" + other)
          .contains("leave spec.schedulingGroup out");
    }
  }

  /** Nothing is asked about the PodGroup, which may not be there yet. */
  @Test
  void whereTheNamespaceHasAQueueAGroupOfTheUsersOwnWaitsInIt() throws MalformedPodException {
    labels = Map.of("muster.io/queue", "research");
    var stored = stored(pod("", of("mine")), true);
    assertThat(groupOf(stored).asText()).isEqualTo("mine");
    assertThat(stored.at("/spec/schedulingGates/0/name").asText()).isEqualTo("muster.io/gang");
    var annotations = stored.at("/metadata/annotations");
    assertThat(annotations.path("muster.io/queue").asText()).isEqualTo("research");
    assertThat(annotations.path("muster.io/gang-dialect").asText()).isEqualTo("native");
    assertThat(stored.at("/metadata/labels/muster.io~1member").asText()).isEqualTo("true");
    assertThat(((Admission.Allowed) admission(stored, true)).patch()).isEmpty();

    var named = stored(pod("\"muster.io/queue\":\"urgent\"", of("mine")), true);
    assertThat(named.at("/metadata/annotations/muster.io~1queue").asText()).isEqualTo("urgent");
    queues = false;
    assertThat(admission(pod("", of("mine")), true)).isEqualTo(Admission.UNCHANGED);
  }

  @Test
  void withoutALabelOfTheNamespaceItIsLeftToTheClusterWhateverThePodSays()
      throws MalformedPodException {
    assertThat(admission(pod("\"muster.io/queue\":\"urgent\"", of("mine")), true))
        .isEqualTo(Admission.UNCHANGED);
  }
}
