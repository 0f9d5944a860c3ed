package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Birth;
import io.muster.webhook.port.BirthAdvice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What a member looks like that was given a place. */
final class TiedPodsTest {

  private static final String REQUIRED =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

  private static final List<Pod> ASKED = new ArrayList<>();
  private static final BirthAdvice PLACES =
      pod -> {
        ASKED.add(pod);
        return new Birth.Placed(new Pin("7", List.of("n1", "n2")));
      };
  private static final Reviewer PLACED = new Reviewer(PLACES);
  private static final Reviewer FREE = new Reviewer(BirthAdvice.NONE);

  private static final String MEMBER =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: w-0
        annotations: {muster.io/gang-name: g, muster.io/gang-min: "2"}
        ownerReferences:
        - {apiVersion: batch/v1, kind: Job, name: j, uid: j1, controller: true}
      spec:
        containers:
        - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 1}}}
      """;

  private static final String OWN_TERMS =
      """
        affinity:
          nodeAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 1
              preference: {matchExpressions: [{key: fast, operator: Exists}]}
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: zone, operator: In, values: [b, a]}]
              - matchExpressions: [{key: memory, operator: Gt, values: ["40"]}]
      """;

  @AfterAll
  static void stop() {
    PLACED.close();
    FREE.close();
  }

  @Test
  void isTiedToThePlannedNodeAndTheSpareOnes() throws Exception {
    var stored = PLACED.admitted(pod(MEMBER));

    assertThat(stored.at("/metadata/annotations").path("muster.io/pinned").asText())
        .isEqualTo("7:n1,n2");
    assertThat(stored.at(REQUIRED).toString())
        .isEqualTo("[" + named("n1") + "," + named("n2") + "]");
    assertThat(stored.at("/spec/schedulingGates")).isEmpty();
  }

  @Test
  void keepsEachTermOfItsOwnOnceForEachNode() throws Exception {
    var stored = PLACED.admitted(pod(MEMBER + OWN_TERMS));

    var zone = "{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]}";
    var memory = "{\"key\":\"memory\",\"operator\":\"Gt\",\"values\":[\"40\"]}";
    assertThat(stored.at(REQUIRED).toString())
        .isEqualTo(
            "[%s,%s,%s,%s]"
                .formatted(
                    both(zone, "n1"), both(memory, "n1"), both(zone, "n2"), both(memory, "n2")));
    assertThat(
            stored.at(
                "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution"))
        .hasSize(1);
  }

  @Test
  void stateWhatTheyWereTiedToWhenAskedAgain() throws Exception {
    var stored = PLACED.admitted(pod(MEMBER + OWN_TERMS));
    ASKED.clear();

    assertThat(PLACED.admitted(stored)).isEqualTo(stored);
    assertThat(ASKED.getFirst().origin().pinning().pin())
        .contains(new Pin("7", List.of("n1", "n2")));
    assertThat(ASKED.getFirst().shape().anyOfTerms()).hasSize(2);
  }

  @Test
  void looseTiesThatWereCopiedWithAManifest() throws Exception {
    var plain = FREE.admitted(pod(MEMBER));
    var own = FREE.admitted(pod(MEMBER + OWN_TERMS));

    assertThat(FREE.admitted(PLACED.admitted(pod(MEMBER))).at(REQUIRED).isMissingNode()).isTrue();
    assertThat(FREE.admitted(PLACED.admitted(pod(MEMBER))).at("/metadata"))
        .isEqualTo(plain.at("/metadata"));
    var loosened = FREE.admitted(PLACED.admitted(pod(MEMBER + OWN_TERMS)));
    assertThat(loosened.at(REQUIRED)).hasSize(2);
    assertThat(loosened.at(REQUIRED + "/1")).isEqualTo(own.at(REQUIRED + "/1"));
  }

  @Test
  void areOnlyThoseWhosePlaceNothingElseDecides() throws Exception {
    assertThat(allowed(MEMBER)).isTrue();
    assertThat(allowed(MEMBER + OWN_TERMS)).isTrue();
    assertThat(allowed(MEMBER.replaceAll("(?s)  ownerReferences:.*?true}\n", ""))).isFalse();
    assertThat(allowed(MEMBER.replace("gang-min: \"2\"", "gang-min: \"2\", muster.io/pin: never")))
        .isFalse();
    assertThat(
            allowed(
                MEMBER
                    .replaceAll("(?s)  ownerReferences:.*?true}\n", "")
                    .replace("gang-min: \"2\"", "gang-min: \"2\", muster.io/pin: allowed")))
        .isTrue();
    assertThat(
            allowed(
                MEMBER + "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"))
        .isFalse();
    assertThat(
            allowed(
                MEMBER
                    + """
                      topologySpreadConstraints:
                      - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
                    """))
        .isFalse();
    assertThat(
            allowed(
                MEMBER
                    + """
                      affinity:
                        podAntiAffinity:
                          requiredDuringSchedulingIgnoredDuringExecution:
                          - {topologyKey: kubernetes.io/hostname, labelSelector: {}}
                    """))
        .isFalse();
    assertThat(
            allowed(
                MEMBER
                    + """
                      affinity:
                        nodeAffinity:
                          requiredDuringSchedulingIgnoredDuringExecution:
                            nodeSelectorTerms:
                            - matchFields:
                              - {key: metadata.name, operator: In, values: [n9]}
                    """))
        .isFalse();
  }

  private static boolean allowed(String manifest) throws Exception {
    ASKED.clear();
    PLACED.review(pod(manifest));
    assertThat(ASKED).hasSize(1);
    return ASKED.getFirst().origin().pinning().allowed();
  }

  private static String named(String node) {
    return "{\"matchFields\":[%s]}".formatted(field(node));
  }

  private static String both(String expression, String node) {
    return "{\"matchExpressions\":[%s],\"matchFields\":[%s]}".formatted(expression, field(node));
  }

  private static String field(String node) {
    return "{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"%s\"]}".formatted(node);
  }
}
