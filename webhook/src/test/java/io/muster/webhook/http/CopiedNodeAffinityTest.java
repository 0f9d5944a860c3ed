package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A manifest that was copied from a member which Muster had released to its nodes. */
final class CopiedNodeAffinityTest {

  private static final String REQUIRED =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

  private static final Reviewer REVIEWER = new Reviewer();

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

  private static final String PINNED =
      """
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
              - matchFields: [{key: metadata.name, operator: In, values: [n2]}]
      """;

  @AfterAll
  static void stop() {
    REVIEWER.close();
  }

  @Test
  void losesTheNodesThatMusterChose() throws Exception {
    var plain = REVIEWER.admitted(pod(MEMBER));
    var stored = REVIEWER.admitted(copied(MEMBER + PINNED));

    assertThat(stored.at(REQUIRED).isMissingNode()).isTrue();
    assertThat(stored.at("/metadata")).isEqualTo(plain.at("/metadata"));
    assertThat(stored.at("/spec/schedulingGates").toString())
        .isEqualTo("[{\"name\":\"muster.io/gang\"}]");
  }

  @Test
  void keepsTheTermsOfItsUser() throws Exception {
    var own = REVIEWER.admitted(pod(MEMBER + OWN_TERMS));
    var manifest = (ObjectNode) pod(MEMBER + OWN_TERMS);
    var terms = (ArrayNode) manifest.at(REQUIRED);
    for (var term : terms) {
      ((ObjectNode) term)
          .putArray("matchFields")
          .addObject()
          .put("key", "metadata.name")
          .put("operator", "In")
          .putArray("values")
          .add("n1");
    }
    var stored = REVIEWER.admitted(marked(manifest));

    assertThat(stored.at(REQUIRED)).hasSize(2);
    assertThat(stored.at(REQUIRED + "/1")).isEqualTo(own.at(REQUIRED + "/1"));
    assertThat(stored.at(REQUIRED).toString()).doesNotContain("metadata.name");
  }

  @Test
  void losesTheAnnotationWhereTheAffinityIsLostAlready() throws Exception {
    assertThat(REVIEWER.admitted(copied(MEMBER))).isEqualTo(REVIEWER.admitted(pod(MEMBER)));
  }

  private static ObjectNode copied(String manifest) throws Exception {
    return marked((ObjectNode) pod(manifest));
  }

  private static ObjectNode marked(ObjectNode pod) {
    ((ObjectNode) pod.at("/metadata/annotations")).put("muster.io/pinned", "7:n1,n2");
    return pod;
  }
}
