package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.NvlinkDomain;
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
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that ask for GPUs claim a channel of their gang's NVLink domain. */
final class NvlinkClaimsTest {

  private static final Set<String> ADMITTED = Set.of("default-scheduler");
  private static final Optional<String> NONE_HERE =
      Optional.of("the cluster has no ComputeDomains");
  private static final String NAME = NvlinkDomain.nameOf(new GangId(Dialect.MUSTER, "n", "g"));
  private static final String GPU = "{\"limits\":{\"nvidia.com/gpu\":\"4\"}}";
  private static final String CPU = "{\"requests\":{\"cpu\":\"1\"}}";

  private final PodReading reading =
      new PodReading(
          new PodConverter(new DialectDetector(), ADMITTED), InstantSource.fixed(Instant.EPOCH));

  private static JsonNode pod(String word, String claims, String... resources) {
    var containers = new StringBuilder();
    for (int i = 0; i < resources.length; i++) {
      containers.append(
          "%s{\"name\":\"c%d\",\"image\":\"i\",\"resources\":%s}"
              .formatted(i == 0 ? "" : ",", i, resources[i]));
    }
    return Serialization.unmarshal(
        """
        {"apiVersion":"v1","kind":"Pod",
         "metadata":{"name":"p","namespace":"n","annotations":{
           "muster.io/gang-name":"g","muster.io/gang-min":"2","muster.io/profiles":"mnnvl",
           "muster.io/nvlink-domain":"%s"}},
         "spec":{%s"containers":[%s]}}
        """
            .formatted(word, claims, containers),
        JsonNode.class);
  }

  private Admission admission(JsonNode pod, Optional<String> absence) throws MalformedPodException {
    var rules = new ProfilesReading(ADMITTED).defaults();
    return new PodAdmission(
            new PodAdmission.Sources(
                () -> rules,
                KnownKinds.ALL,
                NamespaceLabels.UNKNOWN,
                true,
                false,
                () -> Queues.NONE,
                Optional.empty(),
                () -> absence,
                () -> false))
        .admit(reading.facts(reading.sent(pod, "n")));
  }

  private JsonNode stored(JsonNode pod, Optional<String> absence) throws MalformedPodException {
    var answer = admission(pod, absence);
    assertThat(answer).isInstanceOf(Admission.Allowed.class);
    return JsonPatch.apply(PatchJson.of(((Admission.Allowed) answer).patch()), pod);
  }

  private List<String> warnings(JsonNode pod, Optional<String> absence)
      throws MalformedPodException {
    return ((Admission.Allowed) admission(pod, absence)).warnings();
  }

  private static List<String> claims(JsonNode stored) {
    return stored
        .at("/spec/resourceClaims")
        .valueStream()
        .map(claim -> claim.path("resourceClaimTemplateName").asText())
        .toList();
  }

  @Test
  void requiredAddsTheClaimToContainersWithGpusWhateverTheClusterHas()
      throws MalformedPodException {
    var stored = stored(pod("required", "", CPU, GPU), NONE_HERE);
    assertThat(claims(stored)).containsExactly(NAME);
    assertThat(stored.at("/spec/containers/0/resources/claims").isMissingNode()).isTrue();
    assertThat(stored.at("/spec/containers/1/resources/claims/0/name"))
        .isEqualTo(stored.at("/spec/resourceClaims/0/name"));
    assertThat(NAME).hasSizeLessThanOrEqualTo(63).matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  }

  @Test
  void whatWasAddedIsNotAddedAgain() throws MalformedPodException {
    var stored = stored(pod("required", "", GPU), Optional.empty());
    assertThat(((Admission.Allowed) admission(stored, NONE_HERE)).patch()).isEmpty();
    var auto = stored(pod("auto", "", GPU), Optional.empty());
    assertThat(((Admission.Allowed) admission(auto, NONE_HERE)).patch()).isEmpty();
  }

  @Test
  void autoClaimsWhereThereAreDomainsAndSaysSoWhereThereAreNone() throws MalformedPodException {
    assertThat(claims(stored(pod("auto", "", GPU), Optional.empty()))).containsExactly(NAME);
    assertThat(stored(pod("auto", "", GPU), NONE_HERE).at("/spec/resourceClaims").isMissingNode())
        .isTrue();
    assertThat(warnings(pod("auto", "", GPU), NONE_HERE))
        .contains(
            "muster.io/nvlink-domain: auto, and no NVLink domain is claimed: "
                + "the cluster has no ComputeDomains");
  }

  @Test
  void noneClaimsNothing() throws MalformedPodException {
    var stored = stored(pod("none", "", GPU), Optional.empty());
    assertThat(stored.at("/spec/resourceClaims").isMissingNode()).isTrue();
  }

  @Test
  void aMemberWithoutGpusClaimsNothing() throws MalformedPodException {
    var stored = stored(pod("required", "", CPU), Optional.empty());
    assertThat(stored.at("/spec/resourceClaims").isMissingNode()).isTrue();
  }

  @Test
  void aPodThatBringsAChannelOfItsOwnIsLeftAlone() throws MalformedPodException {
    var own =
        "\"resourceClaims\":[{\"name\":\"compute-domain-channel\",\"resourceClaimTemplateName\":\"t\"}],";
    var stored = stored(pod("required", own, GPU), Optional.empty());
    assertThat(claims(stored)).containsExactly("t");
  }

  @Test
  void otherClaimsStayBesideIt() throws MalformedPodException {
    var nic = "\"resourceClaims\":[{\"name\":\"nic\",\"resourceClaimTemplateName\":\"roce\"}],";
    var byClaim = "{\"claims\":[{\"name\":\"nic\"}]}";
    var stored = stored(pod("required", nic, byClaim), Optional.empty());
    assertThat(claims(stored)).containsExactly("roce", NAME);
    assertThat(stored.at("/spec/containers/0/resources/claims")).hasSize(2);
    assertThat(stored(stored, Optional.empty())).isEqualTo(stored);
  }

  @Test
  void theClaimOfAnotherGangInACopiedManifestIsReplaced() throws MalformedPodException {
    var copied =
        "\"resourceClaims\":[{\"name\":\"muster-nvlink-domain\",\"resourceClaimTemplateName\":\"old\"}],";
    assertThat(claims(stored(pod("required", copied, GPU), Optional.empty())))
        .containsExactly(NAME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "Required"})
  void anyOtherWordIsRefusedWithTheAllowedOnes(String word) throws MalformedPodException {
    assertThat(admission(pod(word, "", GPU), Optional.empty()))
        .isInstanceOfSatisfying(
            Admission.Denied.class,
            denied -> {
              assertThat(denied.code()).isEqualTo(422);
              assertThat(denied.message())
                  .contains("muster.io/nvlink-domain")
                  .contains("auto, none, required");
            });
  }

  @Test
  void theProfileForNvlinkOverNodesIsForSuchMembers() throws MalformedPodException {
    var stored = stored(pod("required", "", GPU), Optional.empty());
    assertThat(stored.at("/spec/containers/0/env").findValuesAsText("name"))
        .contains("NCCL_MNNVL_ENABLE");
    assertThat(warnings(pod("auto", "", GPU), NONE_HERE))
        .anyMatch(said -> said.contains("profile \"mnnvl\" is for pods with resource claims only"));
  }

  @Test
  void aPodWithoutAGangIsToldThatItClaimsNothing() throws MalformedPodException {
    var single = pod("required", "", GPU);
    ((com.fasterxml.jackson.databind.node.ObjectNode) single.at("/metadata/annotations"))
        .remove(List.of("muster.io/gang-name", "muster.io/gang-min"));
    assertThat(warnings(single, Optional.empty()))
        .anyMatch(said -> said.contains("the pod is in no gang: it claims no NVLink domain"));
  }
}
