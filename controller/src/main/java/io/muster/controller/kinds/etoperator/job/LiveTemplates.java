package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.Unreadable;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.Marks;
import java.util.List;

/** Templates that somebody has made unreadable, of a job whose pods run. Stateless. */
public final class LiveTemplates {

  /** What a worker is taken for whose like does not run. */
  private static final PodSpec UNKNOWN =
      new PodSpecBuilder().addNewContainer().withName("").endContainer().build();

  private LiveTemplates() {}

  /**
   * The job with what its pods are in place of each template that cannot be read; never to be
   * stored.
   *
   * @param pods its own
   */
  public static TrainingJob of(TrainingJob job, List<Pod> pods) {
    if (TrainingJobSpecMapper.templates(job).values().stream()
        .noneMatch(Unreadable.class::isInstance)) {
      return job;
    }
    var copy = Serialization.clone(job);
    var roles = copy.getSpec().etReplicaSpecs();
    fill(roles.launcher().template(), EtOperatorNames.LAUNCHER, pods);
    fill(roles.worker().template(), EtOperatorNames.WORKER, pods);
    return copy;
  }

  private static void fill(PodTemplateSpec template, String role, List<Pod> pods) {
    if (template instanceof Unreadable) {
      template.setSpec(
          pods.stream()
              .filter(pod -> role.equals(Marks.labels(pod).get(EtOperatorNames.ROLE_LABEL)))
              .map(Pod::getSpec)
              .findFirst()
              .orElse(UNKNOWN));
    }
  }
}
