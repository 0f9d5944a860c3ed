package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of new pods while nobody answers the apiserver. */
@ExtendWith(SandboxExtension.class)
final class WebhookDownIT {

  @Test
  void onlyWhatDependsOnMusterIsRefusedWhileItIsDead(Sandbox sandbox, TestSpace space) {
    EnrolmentIT.enrol(space, "gang");
    var muster = sandbox.muster().orElseThrow();
    var gang = GangManifest.of(space, "gang", 1);
    var lone = gang.without(GangManifest.NAME).without(GangManifest.MIN);
    muster.kill();
    try {
      once(space, lone.gpus(0).pod("cpu"));
      var gpu = once(space, lone.pod("gpu"));
      assertThat(gpu.getMetadata().getAnnotations()).isEmpty();
      once(space, served(gang.pod("of-another-scheduler"), "volcano"));

      assertThatThrownBy(() -> once(space, gang.pod("member")))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining(
              "Internal error occurred: failed calling webhook \"gang-pods.muster.io\": failed to"
                  + " call webhook: Post \""
                  + muster.webhookUrl()
                  + "/mutate/pods/refused-until-muster-is-back/or-run-muster-release-all?timeout=5s\":"
                  + " dial tcp")
          .hasMessageContaining("connect: connection refused");
    } finally {
      muster.start();
    }
  }

  @Test
  void whereAllIsEnrolledGpuPodsAreRefusedTooAndInTheShadowNobodyIs(
      Sandbox sandbox, TestSpace space) {
    EnrolmentIT.enrol(space, "all");
    var muster = sandbox.muster().orElseThrow();
    var gang = GangManifest.of(space, "gang", 1);
    var lone = gang.without(GangManifest.NAME).without(GangManifest.MIN);
    muster.kill();
    try {
      once(space, lone.gpus(0).pod("cpu"));
      assertThatThrownBy(() -> once(space, lone.pod("gpu")))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("failed calling webhook \"all-gpu-pods.muster.io\"");

      EnrolmentIT.enrol(space, "shadow");
      once(space, lone.pod("gpu"));
      once(space, gang.pod("member"));
    } finally {
      muster.start();
    }
  }

  private static Pod served(Pod pod, String scheduler) {
    pod.getSpec().setSchedulerName(scheduler);
    return pod;
  }

  /** A client that tries once: each further try takes time and says the same. */
  static Pod once(TestSpace space, Pod pod) {
    var config =
        new ConfigBuilder(space.client().getConfiguration())
            .withRequestRetryBackoffLimit(0)
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      return client.pods().resource(pod).create();
    }
  }
}
