package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.dialect.DialectDetector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which pods are known not to share a node with those that are like them. */
final class AntiAffinityTest {

  private static final String HOST = "topologyKey: kubernetes.io/hostname";
  private static final String APP = "labelSelector: {matchLabels: {app: a}}";

  private final PodConverter translation = new PodConverter(new DialectDetector());

  private Resources asked(String namespace, String term) {
    return translation
        .pod(
            Serialization.unmarshal(
                """
                ---
                metadata: {name: p, namespace: %s, labels: {app: a, job: j}}
                spec:
                  affinity:
                    podAntiAffinity:
                      requiredDuringSchedulingIgnoredDuringExecution: [{%s}]
                  containers:
                  - {name: c, ports: [{containerPort: 80, hostPort: 80}]}
                """
                    .formatted(namespace, term),
                io.fabric8.kubernetes.api.model.Pod.class))
        .demand()
        .requests();
  }

  private static Resources withoutPorts(Resources asked) {
    return asked.withHostPorts(asked.hostPorts().stream().filter(each -> !each.isPort()).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        APP,
        "labelSelector: {matchExpressions: [{key: app, operator: In, values: [b, a]}]}",
        "labelSelector: {matchExpressions: [{key: job, operator: Exists}]}",
        "labelSelector: {}",
        "namespaces: [ml], " + APP
      })
  void podsThatSelectThemselvesAreApart(String selector) {
    var asked = withoutPorts(asked("ml", HOST + ", " + selector));
    assertThat(asked.collidesWith(asked)).isTrue();
    assertThat(asked.collidesWith(asked("other", HOST + ", " + selector))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "topologyKey: zone, " + APP,
        HOST,
        HOST + ", labelSelector: {matchLabels: {app: b}}",
        HOST + ", labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: [a]}]}",
        HOST + ", labelSelector: {matchExpressions: [{key: app, operator: Later}]}",
        HOST + ", namespaces: [other], " + APP,
        HOST + ", namespaceSelector: {}, " + APP,
        HOST + ", mismatchLabelKeys: [job], " + APP
      })
  void otherTermsAreLeftToKubeScheduler(String term) {
    assertThat(asked("ml", term).hostPorts()).hasSize(1).allMatch(each -> each.isPort());
  }

  @Test
  void selectorsThatSayTheSameAreTheSame() {
    var one = HOST + ", labelSelector: {matchLabels: {app: a, job: j}}";
    var other = HOST + ", labelSelector: {matchLabels: {job: j, app: a}}";
    assertThat(asked("ml", one)).isEqualTo(asked("ml", other)).isNotEqualTo(asked("ml", HOST));
  }
}
