package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.muster.controller.api.Unreadable;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.job.MainContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pods that a request would have made, as far as their nodes are concerned. */
public final class AskedPods {

  private AskedPods() {}

  /**
   * Pods that ask for the same.
   *
   * @param type what the pods are, in DI-engine's words
   */
  public record Alike(String type, PodSpec spec, int count) {}

  /**
   * All of them; those without a template that can be read are left out.
   *
   * @param aggregator what all jobs' aggregators are
   */
  public static List<Alike> of(
      DIJob job, WorkerRequest request, Optional<RoleTemplate> aggregator) {
    var spec = job.getSpec();
    var pods = new ArrayList<Alike>();
    int collectors = request.collectors().replicas();
    add(pods, request, new Kind(CoordinatorNames.COLLECTOR, 0, collectors), spec.collector());
    int learners = request.learners().replicas();
    if (request.hasSets()) {
      add(
          pods,
          request,
          new Kind(CoordinatorNames.AGGREGATOR, 0, learners),
          aggregator.orElse(null));
      for (int part = 1; part < request.podsOfLearner(); part++) {
        add(pods, request, new Kind(CoordinatorNames.DDP_LEARNER, part, learners), spec.learner());
      }
    } else {
      add(pods, request, new Kind(CoordinatorNames.LEARNER, 0, learners), spec.learner());
    }
    return pods;
  }

  private record Kind(String type, int part, int count) {}

  private static void add(
      List<Alike> pods, WorkerRequest request, Kind kind, RoleTemplate template) {
    if (kind.count() == 0 || template == null || template.template() instanceof Unreadable) {
      return;
    }
    var spec = new PodSpecBuilder(template.template().getSpec()).build();
    RolePods.resize(
        MainContainer.of(spec, CoordinatorNames.work(kind.type())),
        request.resources(kind.type(), kind.part()));
    pods.add(new Alike(kind.type(), spec, kind.count()));
  }
}
