package io.muster.controller.framework;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.View;
import io.muster.controller.core.elastic.View.Waiting;
import io.muster.controller.kube.Rejection;
import io.muster.controller.port.GangNames;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.SizeMeter;
import io.muster.controller.port.SizeMeter.Sizes;
import io.muster.controller.port.SizedJob;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Has jobs of all kinds follow the room there is, by one policy. Each kind tells its jobs in its
 * own time and carries out what is decided about them; the others' count as they were last told.
 * Safe for concurrent use.
 */
public final class CapacitySharing {

  private static final Logger LOG = LoggerFactory.getLogger(CapacitySharing.class);

  private final ResizeAdvice advice;
  private final Elasticity policy;
  private final SizeMeter meter;
  private final boolean isDryRun;
  private final Map<String, List<SizedJob>> jobs = new ConcurrentHashMap<>();

  /** Rounds come one after the other, however long the API server takes. */
  private final ReentrantLock round = new ReentrantLock();

  /** What jobs that run were told last of what would be asked of them, by their uids. */
  private final Map<String, String> told = new HashMap<>();

  /**
   * Decides by that policy.
   *
   * @param meter is told of all jobs of all kinds whose size follows the room
   * @param isDryRun whether jobs are only told what would be asked of them
   */
  public CapacitySharing(
      ResizeAdvice advice, Elasticity policy, SizeMeter meter, boolean isDryRun) {
    this.advice = advice;
    this.policy = policy;
    this.meter = meter;
    this.isDryRun = isDryRun;
  }

  /**
   * Takes in how the jobs of a kind stand, and asks for what is to be asked for now of them.
   *
   * @param running all that run, whoever changes their size
   */
  public void advance(String kind, List<? extends SizedJob> running, Instant now) {
    round.lock();
    try {
      decide(kind, running, now);
    } finally {
      round.unlock();
    }
  }

  private void decide(String kind, List<? extends SizedJob> running, Instant now) {
    jobs.put(kind, List.copyOf(running));
    told.keySet().retainAll(uids());
    meter.sizes(sizes());
    var own = new HashMap<String, SizedJob>();
    running.forEach(job -> job.size().elastic().ifPresent(size -> own.put(size.key(), job)));
    if (own.isEmpty()) {
      return;
    }
    var view = view();
    var planned = policy.plan(view, now);
    boolean isAsked = planned.stream().anyMatch(decision -> own.containsKey(decision.job()));
    note(kind, view, isAsked && !isDryRun);
    for (var decision : Decision.oneOfEachJob(planned)) {
      if (!jobs.containsKey(kind)) {
        return;
      }
      Optional.ofNullable(own.get(decision.job())).ifPresent(job -> follow(job, decision, now));
    }
    if (!isDryRun) {
      planned.forEach(
          decision -> gang(decision).map(GangNames::read).ifPresent(advice::isGivenRoom));
    }
  }

  /** What the decisions that are noted after it go by. */
  private static void note(String kind, View view, boolean isAsked) {
    var asked = view.room().asked();
    var offered = view.room().offered();
    LOG.atLevel(isAsked ? Level.INFO : Level.DEBUG)
        .addKeyValue("kind", kind)
        .addKeyValue("jobs", view.jobs().size())
        .addKeyValue("waitingGangs", view.waiting().size())
        .addKeyValue("waitingPods", view.online().size())
        .addKeyValue("leavingPods", view.leaving().size())
        .addKeyValue("cpuMillisAsked", asked.cpuMillis())
        .addKeyValue("cpuMillisOffered", offered.cpuMillis())
        .addKeyValue("memoryBytesAsked", asked.memory())
        .addKeyValue("memoryBytesOffered", offered.memory())
        .addKeyValue("devicesAsked", asked.devices())
        .addKeyValue("devicesOffered", offered.devices())
        .log("the capacity was checked");
  }

  /** One that faults is tried again in the next round; the others do not wait for it. */
  private void follow(SizedJob job, Decision decision, Instant now) {
    try {
      if (isDryRun) {
        tell(job, decision);
      } else {
        ask(job, decision, now);
      }
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("job", decision.job())
          .addKeyValue("message", Rejection.sentence(e))
          .log("a job could not be asked for another size; tried again");
    }
  }

  /** Once for each thing that would be asked for. */
  private void tell(SizedJob job, Decision decision) {
    if (!decision.why().equals(told.put(job.key().uid(), decision.why()))) {
      LOG.atInfo()
          .addKeyValue("job", decision.job())
          .addKeyValue("decision", decision.why())
          .log("a job would be asked for another size, were it no dry run");
      job.tell("WouldResize", decision.why() + "; not done in a dry run");
    }
  }

  /** Who has the room, for those who run Muster; users of the job may not know. */
  private static Optional<String> gang(Decision decision) {
    return decision instanceof Decision.GiveBack giveBack ? giveBack.gang() : Optional.empty();
  }

  private void ask(SizedJob job, Decision decision, Instant now) {
    job.ask(decision);
    policy.carriedOut(decision, now);
    LOG.atInfo()
        .addKeyValue("job", decision.job())
        .addKeyValue("decision", decision.why())
        .addKeyValue("for", gang(decision).orElse(""))
        .log("a job was asked for another size");
  }

  /** The jobs of that kind are not managed any more; does not wait for a round that goes on. */
  public void forget(String kind) {
    jobs.remove(kind);
    meter.sizes(sizes());
  }

  private Set<String> uids() {
    return jobs.values().stream()
        .flatMap(List::stream)
        .map(job -> job.key().uid())
        .collect(Collectors.toSet());
  }

  private List<Sizes> sizes() {
    return jobs.entrySet().stream()
        .flatMap(
            kind -> kind.getValue().stream().flatMap(job -> sizes(kind.getKey(), job).stream()))
        .toList();
  }

  private static Optional<Sizes> sizes(String kind, SizedJob job) {
    return job.size()
        .elastic()
        .map(size ->
            new Sizes(
                kind,
                job.key().namespace(),
                job.key().name(),
                size.workers().size(),
                job.size().wanted(),
                size.least(),
                size.most()));
  }

  private View view() {
    var all = jobs.values().stream().flatMap(List::stream).map(SizedJob::size).toList();
    var growing = new HashSet<String>();
    all.forEach(job -> growing.addAll(job.growingGangs()));
    return new View(
        all.stream().flatMap(job -> job.elastic().stream()).toList(),
        advice.waiting().stream()
            .filter(gang -> !growing.contains(gang.gang().toString()))
            .map(gang -> new Waiting(GangNames.of(gang.gang()), gang.priority()))
            .toList(),
        advice.online(),
        all.stream().flatMap(job -> job.leaving().stream()).toList(),
        advice.room());
  }
}
