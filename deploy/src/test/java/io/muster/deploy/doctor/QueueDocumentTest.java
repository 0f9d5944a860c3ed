package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.muster.extender.kube.watch.QueueFeed;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A ConfigMap with which the next start would not be ready. */
final class QueueDocumentTest {

  private static Finding of(ConfigMap stored) {
    return new QueueDocument(Optional.ofNullable(stored)).findings().getFirst();
  }

  private static ConfigMap document(String key, String text) {
    return new ConfigMapBuilder().addToData(key, text).build();
  }

  @Test
  void noneAndASoundOneAreWell() {
    assertThat(of(null).outcome()).isEqualTo(Finding.Outcome.OK);
    assertThat(of(document(QueueFeed.KEY, "queues:\n- name: a\n")).evidence())
        .isEqualTo("ConfigMap muster-queues: 2 queues, default included");
  }

  @Test
  void aMistakeIsNamedByField() {
    var finding = of(document(QueueFeed.KEY, "queues:\n- name: a\n  gpu: 8\n"));
    assertThat(finding.isProblem()).isTrue();
    assertThat(finding.evidence()).contains("not in force").contains("queues[0].gpu");
    assertThat(finding.remedy()).contains("not ready");
  }

  @Test
  void aDocumentUnderAnotherKeyIsAMistake() {
    assertThat(of(document("queue.yml", "queues: []")).evidence()).contains("queues.yaml");
    assertThat(of(new ConfigMap()).isProblem()).isTrue();
  }
}
