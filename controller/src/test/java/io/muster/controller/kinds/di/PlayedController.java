package io.muster.controller.kinds.di;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.coordinator.CoordinatorGeneration;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kinds.di.job.JobFrame;
import io.muster.controller.kinds.di.task.TaskGeneration;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Reconciles a DIJob as the controller does, with pods in a map in place of an API server. */
public final class PlayedController {

  private static final DiAddresses ADDRESSES =
      new DiAddresses("http://s:8081", "http://s:8080", "svc.cluster.local");

  /** What aggregators are made of. */
  public static final RoleTemplate AGGREGATOR =
      new RoleTemplate(
          new PodTemplateSpecBuilder()
              .withNewSpec()
              .addNewContainer()
              .withName("di-container")
              .endContainer()
              .endSpec()
              .build());

  private static final int MOST_ROUNDS = 1_000;

  private static final AtomicInteger UIDS = new AtomicInteger();

  private PlayedController() {}

  /** Reconciles until nothing is to be done; pods come and go in the map. */
  public static void look(DIJob job, Map<String, Pod> pods, Instant now) {
    look(job, pods, now, Optional.of(AGGREGATOR));
  }

  /**
   * The same in a cluster with another AggregatorConfig.
   *
   * @param aggregator its template; empty if there is none
   */
  static void look(
      DIJob job, Map<String, Pod> pods, Instant now, Optional<RoleTemplate> aggregator) {
    look(job, pods, now, aggregator, Optional.empty());
  }

  /**
   * The same where the API server may take no pods.
   *
   * @param refusal what it says to each; empty if it takes them
   */
  public static void look(
      DIJob job,
      Map<String, Pod> pods,
      Instant now,
      Optional<RoleTemplate> aggregator,
      Optional<String> refusal) {
    Optional<Observed.Refusal> refused = Optional.empty();
    Generation generation =
        job.getSpec().coordinator() == null
            ? new TaskGeneration(ADDRESSES)
            : new CoordinatorGeneration(ADDRESSES, () -> aggregator);
    boolean isDone = false;
    for (int round = 0; !isDone; round++) {
      assertThat(round).as("reconciles at one time").isLessThan(MOST_ROUNDS);
      var state = JobFrame.state(job);
      var members =
          pods.values().stream()
              .flatMap(pod -> generation.member(job, state, pod).stream())
              .toList();
      var seen =
          new Observed(
              members,
              Optional.empty(),
              Map.of(),
              Optional.empty(),
              Map.of(),
              refused.stream().toList(),
              Map.of());
      var outcome =
          JobEngine.reconcile(generation.job(job, List.of()), state, List.of(), seen, now);
      job.setStatus(
          generation.status(
              new DecidedJob<>(
                  job,
                  outcome.state(),
                  List.copyOf(pods.values()),
                  members,
                  GangSight.NONE,
                  outcome.news(),
                  now)));
      isDone = true;
      for (var action : outcome.actions()) {
        if (action instanceof Action.Create create && refusal.isPresent()) {
          var until = now.plusSeconds(1);
          refused = Optional.of(new Observed.Refusal(create.name(), refusal.get(), until));
          isDone = false;
          break;
        } else if (action instanceof Action.Create create) {
          pods.put(create.name(), made(generation.pods(job, outcome.state()).apply(create), now));
          isDone = false;
        } else if (action instanceof Action.Delete(String name, String _)) {
          pods.remove(name);
          isDone = false;
        }
      }
    }
  }

  private static Pod made(Pod pod, Instant now) {
    return new PodBuilder(pod)
        .editMetadata()
        .withUid("pod-" + UIDS.incrementAndGet())
        .withCreationTimestamp(now.toString())
        .endMetadata()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }
}
