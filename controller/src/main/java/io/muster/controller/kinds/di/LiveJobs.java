package io.muster.controller.kinds.di;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kube.Policies;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the apiserver itself says about DIJobs that live: policies, since a definition's rules
 * cannot see into pod templates. And the class of those with a high priority. They stay with the
 * definition.
 */
final class LiveJobs {

  /** Which changes of a job are refused. */
  static final String CHANGES = "live-dijobs." + DIJob.GROUP;

  /** What its creator is told. */
  static final String WARNINGS = "told-dijobs." + DIJob.GROUP;

  /** Above pods without a class, and never a reason to evict others. */
  private static final int HIGH = 1000;

  private static final String COLLECTOR = "has(t.type) && t.type == 'collector'";
  private static final String REPLICAS = "(has(t.replicas) ? t.replicas : 1)";

  private LiveJobs() {}

  static List<HasMetadata> objects() {
    return Stream.of(
            Policies.refusing(
                scope(CHANGES, "UPDATE"),
                List.of(templatesStay(), othersStay(), coordinatorStays())),
            Policies.telling(scope(WARNINGS, "CREATE", "UPDATE"), List.of(variablesAreMusters())),
            List.<HasMetadata>of(
                new PriorityClassBuilder()
                    .withMetadata(Policies.metadata(DiNames.HIGH))
                    .withValue(HIGH)
                    .withPreemptionPolicy("Never")
                    .withDescription(
                        "DIJobs with priority high: before others in the waiting line.")
                    .build()))
        .flatMap(List::stream)
        .toList();
  }

  private static Policies.Scope scope(String name, String... operations) {
    return new Policies.Scope(name, DIJob.GROUP, DIJob.PLURAL, List.of(operations));
  }

  private static Validation templatesStay() {
    return Policies.rule(
        "!has(oldObject.spec.tasks) || !has(object.spec.tasks)"
            + " || size(oldObject.spec.tasks) != size(object.spec.tasks)"
            + " || object.spec.tasks.map(t, t.template)"
            + " == oldObject.spec.tasks.map(t, t.template)",
        "spec.tasks[].template: cannot be changed: pods that are made later must be like those that"
            + " run; make the job anew with it");
  }

  /** The ranks of processes that train together are counted once. */
  private static Validation othersStay() {
    var counts = "tasks.map(t, (%s) ? 0 : %s)".formatted(COLLECTOR, REPLICAS);
    return Policies.rule(
        "!has(oldObject.spec.tasks) || !has(object.spec.tasks)"
            + " || !object.spec.tasks.exists(t, %s)".formatted(COLLECTOR)
            + " || object.spec.%1$s == oldObject.spec.%1$s".formatted(counts),
        "spec.tasks[].replicas: only that of the collectors can be changed while the job lives");
  }

  private static Validation coordinatorStays() {
    return Policies.rule(
        "!has(oldObject.spec.coordinator) || !has(object.spec.coordinator)"
            + " || object.spec.coordinator == oldObject.spec.coordinator",
        "spec.coordinator.template: cannot be changed: the coordinator runs; templates of collectors"
            + " and learners can, for those that are asked for from then on");
  }

  private static Validation variablesAreMusters() {
    return Policies.rule(
        "!has(object.spec.tasks) || object.spec.tasks.all(t, t.template.spec.containers.all(c,"
            + " !has(c.env) || c.env.all(e, !e.name.matches('^DI_([A-Z0-9_]*NODES|RANK|JOB_ID|SERVER_URL)$'))))",
        "env: DI_RANK, DI_NODES, DI_<TASK>_NODES, DI_JOB_ID and DI_SERVER_URL are set by Muster; what"
            + " the template says of them does not hold");
  }
}
