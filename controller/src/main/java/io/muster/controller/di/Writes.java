package io.muster.controller.di;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobMemory;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.Work;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Carries the engine's actions out for DIJobs. What is there already, or gone already, is as good
 * as done. Safe for concurrent use, one job at a time.
 */
final class Writes {

  private final KubernetesClient client;
  private final JobWrites common;
  private final JobEvents events;
  private final InstantSource clock;

  Writes(KubernetesClient client, JobEvents events, InstantSource clock) {
    this.client = client;
    this.common = new JobWrites(client, clock);
    this.events = events;
    this.clock = clock;
  }

  /**
   * Where to do it.
   *
   * @param pods makes pods of the job
   * @param made takes the pods that are made, so that they count before the watch shows them
   */
  record Site(
      DIJob job,
      Generation generation,
      Function<Action.Create, Pod> pods,
      JobMemory memory,
      Consumer<Pod> made) {}

  /** What is to be done for it, one after the other. */
  List<Work.Step> steps(Site site, Action action) {
    return action instanceof Action.Prepare prepare
        ? site.generation().beside(site.job()).stream()
            .map(object ->
                common.preparing(
                    prepare.first(), site.memory(), () -> common.putOwn(site.job(), object)))
            .toList()
        : List.of(() -> carryOut(site, action));
  }

  private boolean carryOut(Site site, Action action) {
    var job = site.job();
    switch (action) {
      case Action.Create create -> {
        return create(site, create);
      }
      case Action.Delete(String name, String uid) -> {
        common.deletePod(job, name, uid, site.memory());
        site.generation()
            .nameOfService(name)
            .ifPresent(service -> common.deleteService(job, service));
        events.leaveOnce(
            job,
            new Remark(
                false, "SuccessfulDelete", "pod %s was successfully deleted".formatted(name)),
            uid,
            site.memory());
      }
      case Action.Remove _ -> client.resource(job).delete();
      case Action.Prepare _,
          Action.Tell _,
          Action.Probe _,
          Action.Ask _,
          Action.Withdraw _,
          Action.Script _ ->
          throw new IllegalArgumentException("nobody asks so of a DIJob: " + action);
    }
    return false;
  }

  private boolean create(Site site, Action.Create create) {
    var job = site.job();
    try {
      return common.makePod(job, create.name(), site.memory(), () -> make(site, create));
    } catch (UnfitPodException e) {
      site.memory().refused(create.name(), e.getMessage(), clock.instant());
      return true;
    }
  }

  private void make(Site site, Action.Create create) {
    var job = site.job();
    var pod = site.pods().apply(create);
    site.generation().beside(job, pod).forEach(object -> common.putOwn(job, object));
    site.made().accept(client.resource(pod).create());
    events.leave(
        job,
        new Remark(
            false, "SuccessfulCreate", "pod %s was successfully created".formatted(create.name())));
  }

  /** Deletes, once, what nobody needs after the job's end, or after that of these pods. */
  List<Work.Step> clear(Site site, List<String> pods) {
    var steps = new ArrayList<Work.Step>();
    if (site.memory().isCleared()) {
      return steps;
    }
    for (HasMetadata left : site.generation().beside(site.job())) {
      steps.add(Work.Step.of(() -> common.deleteOwn(site.job(), left)));
    }
    pods.stream()
        .flatMap(pod -> site.generation().nameOfService(pod).stream())
        .forEach(
            service -> steps.add(Work.Step.of(() -> common.deleteService(site.job(), service))));
    steps.add(Work.Step.of(site.memory()::cleared));
    return steps;
  }

  /** Pods are gone that nobody has deleted: no later look knows of them. */
  void afterLosses(Site site, List<News> news) {
    for (var item : news) {
      if (item instanceof News.MemberLost(String name, String _)) {
        site.generation()
            .nameOfService(name)
            .ifPresent(service -> common.deleteService(site.job(), service));
      }
    }
  }
}
