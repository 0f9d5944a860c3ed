package io.muster.controller.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.Elasticity.View;
import io.muster.controller.core.elastic.Elasticity.Waiting;
import io.muster.controller.core.elastic.Room;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.SizedJob;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has jobs of all kinds follow the room there is, by one rule. Each kind tells its jobs in its own
 * time and carries out what is decided about them; the others' count as they were last told. Safe
 * for concurrent use.
 */
public final class RoomSharing {

  private static final Logger LOG = LoggerFactory.getLogger(RoomSharing.class);

  private final ResizeAdvice advice;
  private final Map<String, List<SizedJob>> jobs = new HashMap<>();

  public RoomSharing(ResizeAdvice advice) {
    this.advice = advice;
  }

  /**
   * Takes in how the jobs of a kind stand, and asks for what is to be asked for now of them.
   *
   * @param running all that run, whoever changes their size
   */
  public synchronized void advance(String kind, List<? extends SizedJob> running, Instant now) {
    jobs.put(kind, List.copyOf(running));
    var own = new HashMap<String, SizedJob>();
    running.forEach(job -> job.elastic().ifPresent(size -> own.put(size.key(), job)));
    if (own.isEmpty()) {
      return;
    }
    for (var decision : Elasticity.plan(view(), now)) {
      Optional.ofNullable(own.get(decision.job())).ifPresent(job -> ask(job, decision));
      if (decision instanceof Decision.GiveBack(String _, List<String> _, String gang)) {
        advice.isGivenRoom(gang(gang));
      }
    }
  }

  /** Nobody looks after the jobs of that kind any more. */
  public synchronized void forget(String kind) {
    jobs.remove(kind);
  }

  private static void ask(SizedJob job, Decision decision) {
    try {
      job.ask(decision);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("job", decision.job())
          .addKeyValue("message", Rejection.sentence(e))
          .log("a job could not be asked for another size; tried again");
    }
  }

  private View view() {
    var all = jobs.values().stream().flatMap(List::stream).toList();
    var growing = new HashSet<String>();
    all.forEach(job -> growing.addAll(job.growingGangs()));
    return new View(
        all.stream().flatMap(job -> job.elastic().stream()).toList(),
        advice.waiting().stream()
            .filter(gang -> !growing.contains(gang.gang().toString()))
            .map(gang -> new Waiting(written(gang.gang()), gang.priority()))
            .toList(),
        all.stream().flatMap(job -> job.leaving().stream()).toList(),
        new AdvisedRoom(advice));
  }

  private static String written(GangId gang) {
    return gang.dialect() + ":" + gang;
  }

  /** The gang of a decision. */
  public static GangId gang(String written) {
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
      return advice.couldUse(gang(gang), List.of(node));
    }

    @Override
    public boolean fitsWithout(String gang, List<String> podUids) {
      return advice.fitsWithout(gang(gang), podUids);
    }
  }
}
