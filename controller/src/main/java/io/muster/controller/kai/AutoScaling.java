package io.muster.controller.kai;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.Elasticity.View;
import io.muster.controller.core.elastic.Elasticity.Waiting;
import io.muster.controller.core.elastic.Room;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.kai.api.TrainingJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.ResizeAdvice;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has jobs with {@code scalePolicy: Auto} follow the room there is, by scalers like any user's.
 * Confined to one thread at a time.
 */
final class AutoScaling {

  private static final Logger LOG = LoggerFactory.getLogger(AutoScaling.class);

  private final KubernetesClient client;
  private final Writes writes;
  private final JobEvents events;
  private final ResizeAdvice advice;

  AutoScaling(KubernetesClient client, Writes writes, JobEvents events, ResizeAdvice advice) {
    this.client = client;
    this.writes = writes;
    this.events = events;
    this.advice = advice;
  }

  /**
   * Asks for what is to be asked for now.
   *
   * @param running jobs, whoever changes their size
   */
  void advance(JobWatch watch, List<TrainingJob> running, Instant now) {
    var sizes = running.stream().flatMap(job -> read(job, watch).stream()).toList();
    if (sizes.stream().noneMatch(JobSize::isAuto)) {
      return;
    }
    var byKey =
        sizes.stream()
            .filter(JobSize::isAuto)
            .collect(Collectors.toMap(JobSize::key, Function.identity()));
    for (var decision : Elasticity.plan(view(sizes), now)) {
      var size = byKey.get(decision.job());
      try {
        ask(size, decision);
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("job", decision.job())
            .addKeyValue("message", Rejection.sentence(e))
            .log("a job could not be asked for another size; tried again");
      }
    }
  }

  /** Empty for one that cannot be read: its own look says so, and no other waits for it. */
  private static Optional<JobSize> read(TrainingJob job, JobWatch watch) {
    try {
      return Optional.of(JobSize.of(job, watch));
    } catch (RuntimeException _) {
      return Optional.empty();
    }
  }

  private View view(List<JobSize> sizes) {
    var growing = new HashSet<String>();
    sizes.stream().filter(JobSize::isAuto).forEach(size -> growing.addAll(size.growingGangs()));
    return new View(
        sizes.stream().filter(JobSize::isAuto).map(JobSize::elastic).toList(),
        advice.waiting().stream()
            .filter(gang -> !growing.contains(gang.gang().toString()))
            .map(gang -> new Waiting(written(gang.gang()), gang.priority()))
            .toList(),
        sizes.stream()
            .flatMap(size -> size.leaving().stream())
            .map(Pod::getMetadata)
            .map(metadata -> metadata.getUid())
            .toList(),
        new AdvisedRoom(advice));
  }

  private static String written(GangId gang) {
    return gang.dialect() + ":" + gang;
  }

  private static GangId read(String written) {
    int colon = written.indexOf(':');
    int slash = written.indexOf('/');
    return new GangId(
        Dialect.valueOf(written.substring(0, colon)),
        written.substring(colon + 1, slash),
        written.substring(slash + 1));
  }

  private record AdvisedRoom(ResizeAdvice advice) implements Room {

    @Override
    public Optional<List<String>> places(List<String> podUids) {
      return advice.places(podUids);
    }

    @Override
    public boolean couldUse(String gang, String node) {
      return advice.couldUse(read(gang), List.of(node));
    }

    @Override
    public boolean fitsWithout(String gang, List<String> podUids) {
      return advice.fitsWithout(read(gang), podUids);
    }
  }

  private void ask(JobSize size, Decision decision) {
    var change =
        switch (decision) {
          case Decision.Grow _ -> new Change.Add(1);
          case Decision.GiveBack(String _, List<String> workers, String _) ->
              new Change.RemoveNamed(workers);
        };
    writes.ask(
        size.job(), new Action.Ask(size.nextName(), Names.WORKER, change, false, Optional.empty()));
    if (decision instanceof Decision.GiveBack(String _, List<String> workers, String gang)) {
      events.leave(
          size.job(),
          new Remark(
              false,
              "AutoScaleIn",
              "gives back %s for gang %s, which has a higher priority"
                  .formatted(String.join(", ", workers), read(gang))));
    }
    size.spent().forEach(this::delete);
  }

  /** The last one says when the last step was; of those before it nobody needs to know. */
  private void delete(HasMetadata scaler) {
    client.resource(scaler).delete();
  }
}
