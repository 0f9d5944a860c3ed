package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.Unreadable;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.Marks;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Templates that somebody has changed, of a job whose pods run. Stateless. */
public final class LiveTemplates {

  /** What a worker is taken for whose like does not run. */
  private static final PodSpec UNKNOWN =
      new PodSpecBuilder().addNewContainer().withName("").endContainer().build();

  private LiveTemplates() {}

  /**
   * The job with what its pods are in place of each template that cannot be read, and of a launcher
   * whose template begins with another container now; never to be stored.
   *
   * @param pods its own
   */
  public static TrainingJob of(TrainingJob job, List<Pod> pods) {
    var templates = TrainingJobSpecMapper.templates(job).values();
    boolean isReadable = templates.stream().noneMatch(Unreadable.class::isInstance);
    var told = told(pods);
    if (isReadable && told.filter(container -> !isFirst(container, job)).isEmpty()) {
      return job;
    }
    var copy = Serialization.clone(job);
    var roles = copy.getSpec().etReplicaSpecs();
    fill(roles.launcher().template(), EtOperatorNames.LAUNCHER, pods);
    fill(roles.worker().template(), EtOperatorNames.WORKER, pods);
    told.ifPresent(main -> roles.launcher().template().getSpec().setContainers(List.of(main)));
    return copy;
  }

  /** The container of the launcher that has the list of workers. */
  private static Optional<Container> told(List<Pod> pods) {
    return of(EtOperatorNames.LAUNCHER, pods)
        .flatMap(pod -> pod.getSpec().getContainers().stream())
        .filter(container ->
            container.getVolumeMounts().stream()
                .anyMatch(mount -> mount.getName().equals(EtOperatorNames.HOSTS_VOLUME)))
        .findFirst();
  }

  private static boolean isFirst(Container container, TrainingJob job) {
    var template = job.getSpec().etReplicaSpecs().launcher().template();
    return template.getSpec().getContainers().stream()
        .limit(1)
        .anyMatch(first -> container.getName().equals(first.getName()));
  }

  private static Stream<Pod> of(String role, List<Pod> pods) {
    return pods.stream()
        .filter(pod -> role.equals(Marks.labels(pod).get(EtOperatorNames.ROLE_LABEL)));
  }

  private static void fill(PodTemplateSpec template, String role, List<Pod> pods) {
    if (template instanceof Unreadable) {
      template.setSpec(of(role, pods).map(Pod::getSpec).findFirst().orElse(UNKNOWN));
    }
  }
}
